#include "service/watch/set_aside.hpp"

#include <vector>

#include <fmt/format.h>

#include "schema/log/log.hpp"
#include "service/store/alone.hpp"
#include "service/store/events.hpp"
#include "service/store/findings/bisection_records.hpp"
#include "service/store/troubles.hpp"
#include "service/watch/search/conclude.hpp"

namespace vigil::service {

namespace {

std::string subject_of(NightlyId nightly) {
    return "nightly/" + to_string(nightly);
}

// Without reading what may be the reason why the step cannot be made.
void end_work(Database& db, NightlyId nightly, const std::string& why, std::int64_t now_s) {
    db.execute(
        "UPDATE attempt SET outcome = 'cancelled', ended_at_s = ?2 WHERE outcome IS NULL "
        "AND EXISTS (SELECT 1 FROM job j WHERE j.id = attempt.job_id "
        "AND j.attempt = attempt.number AND j.nightly_id = ?1 AND j.state = 'leased')",
        nightly,
        now_s);
    db.execute(
        "UPDATE job SET state = 'cancelled', message = ?2, ended_at_s = ?3, "
        "lease_expires_at_s = NULL WHERE nightly_id = ?1 AND state IN ('queued', 'leased')",
        nightly,
        why,
        now_s);
    db.execute("UPDATE session SET state = 'done' WHERE nightly_id = ?1", nightly);
    db.execute(
        "UPDATE suspicion SET state = 'ended', verdict = 'watch', ended_at_s = ?3, "
        "reason = reason || '; ' || ?2 WHERE nightly_id = ?1 AND state <> 'ended'",
        nightly,
        why,
        now_s);
}

void end_searches(Database& db, NightlyId nightly, const std::string& why, std::int64_t now_s) {
    std::vector<BisectionId> open;
    {
        auto rows = db.query(
            "SELECT id FROM bisection WHERE nightly_id = ?1 AND state NOT IN ('done', 'failed')",
            nightly);
        while (rows.next()) open.push_back(rows.get<BisectionId>(0));
    }
    for (const auto bisection : open) set_aside_bisection(db, bisection, why, now_s);
    // What was confirmed and has no search keeps its whole range.
    db.execute(
        "UPDATE regression SET state = 'range', reason = ?2, changed_at_s = ?3 "
        "WHERE nightly_id = ?1 AND state IN ('confirmed', 'searching')",
        nightly,
        why,
        now_s);
}

}  // namespace

void try_part(
    Database& db,
    NightlyId nightly,
    std::string_view what,
    const std::function<void()>& part,
    std::int64_t now_s) {
    const auto trouble = try_alone(db, part);
    if (!trouble) return;
    log_error(
        "nightly.part_failed", {{"nightly", nightly.value}, {"part", what}, {"error", *trouble}});
    record_event(
        db,
        now_s,
        "nightly.part_failed",
        db.find<ProjectId>("SELECT project_id FROM nightly WHERE id = ?1", nightly),
        subject_of(nightly),
        fmt::format("{} failed and is left out: {}", what, *trouble));
}

void set_aside_bisection(
    Database& db, BisectionId bisection, const std::string& why, std::int64_t now_s) {
    if (!try_alone(db, [&] { fail_bisection(db, bisection, why, now_s); })) return;
    db.execute(
        "UPDATE bisection SET state = 'failed', conclusion = ?2, settings = ?4, ended_at_s = ?3 "
        "WHERE id = ?1",
        bisection,
        to_text(BisectionConclusion{why, {}, {}}),
        now_s,
        to_text(BisectionSettings{}));
    db.execute(
        "UPDATE regression SET state = CASE WHEN culprit IS NULL THEN 'range' ELSE 'attributed' "
        "END, reason = ?2, changed_at_s = ?3 WHERE state = 'searching' AND (bisection_id = ?1 "
        "OR bisection_id = (SELECT outer_id FROM bisection WHERE id = ?1))",
        bisection,
        why,
        now_s);
}

void set_aside_nightly(
    Database& db, NightlyId nightly, const std::string& why, std::int64_t now_s) {
    const auto project =
        db.find<ProjectId>("SELECT project_id FROM nightly WHERE id = ?1", nightly);
    const std::string message = "set aside: " + why;
    end_work(db, nightly, message, now_s);
    end_searches(db, nightly, message, now_s);
    db.execute(
        "UPDATE nightly SET state = 'failed', message = ?2, ended_at_s = ?3 WHERE id = ?1 "
        "AND state <> 'failed'",
        nightly,
        message,
        now_s);
    db.execute("DELETE FROM step_try WHERE subject = ?1", subject_of(nightly));
    record_event(db, now_s, "nightly.failed", project, subject_of(nightly), message);
    const Trouble trouble{
        .kind = std::string(night_set_aside),
        .subject = subject_of(nightly),
        .project = project,
        .message = message + "; later nights go on, and what it measured is kept"};
    note_trouble(db, trouble, now_s);
}

void end_earlier_set_aside(Database& db, NightlyId done, std::int64_t now_s) {
    const auto project = db.find<ProjectId>("SELECT project_id FROM nightly WHERE id = ?1", done);
    for (const auto& open : list_troubles(db, night_set_aside)) {
        if (open.project == project) end_trouble(db, night_set_aside, open.subject, now_s);
    }
}

bool begin_try(Database& db, NightlyId nightly, std::int64_t now_s) {
    const auto subject = subject_of(nightly);
    const int tries =
        db.find<int>("SELECT tries FROM step_try WHERE subject = ?1", subject).value_or(0);
    if (tries >= max_step_tries) {
        const auto said =
            db.find<std::string>("SELECT message FROM step_try WHERE subject = ?1", subject)
                .value_or("");
        const auto why = said.empty() ? std::string("the daemon ended while it was on it") : said;
        set_aside_nightly(db, nightly, fmt::format("{} ({} tries)", why, tries), now_s);
        return false;
    }
    db.execute(
        "INSERT INTO step_try(subject, tries, message, tried_at_s) VALUES (?1, 1, '', ?2) "
        "ON CONFLICT(subject) DO UPDATE SET tries = tries + 1, tried_at_s = ?2",
        subject,
        now_s);
    return true;
}

void fail_try(
    Database& db, NightlyId nightly, bool was_counted, const std::string& why, std::int64_t now_s) {
    if (!was_counted && !begin_try(db, nightly, now_s)) return;
    const auto subject = subject_of(nightly);
    db.execute("UPDATE step_try SET message = ?2 WHERE subject = ?1", subject, why);
    const int tries =
        db.find<int>("SELECT tries FROM step_try WHERE subject = ?1", subject).value_or(0);
    if (tries < max_step_tries) return;
    set_aside_nightly(db, nightly, fmt::format("{} ({} tries)", why, tries), now_s);
}

void end_tries(Database& db, NightlyId nightly) {
    db.execute("DELETE FROM step_try WHERE subject = ?1", subject_of(nightly));
}

}  // namespace vigil::service
