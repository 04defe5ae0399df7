#include "service/watch/quarantine.hpp"

#include <fmt/format.h>

#include "schema/log/log.hpp"
#include "service/store/alone.hpp"
#include "service/store/findings/bisections.hpp"
#include "service/store/findings/regressions.hpp"
#include "service/store/series/sessions.hpp"
#include "service/store/troubles.hpp"
#include "service/store/work/night_jobs.hpp"
#include "service/watch/search/conclude.hpp"

namespace vigil::service {

namespace {

void end_searches(Database& db, NightlyId nightly, const std::string& why, std::int64_t now_s) {
    for (const auto& open : list_open_bisections(db, nightly)) {
        quarantine_bisection(db, open.id, why, now_s);
    }
    // What was confirmed and has no search keeps its whole range.
    for (const auto regression : list_unsearched_regressions(db, nightly)) {
        move_regression(db, regression, RegressionState::range, why, now_s);
    }
}

std::string words_of(const std::string& why, int tries) {
    return fmt::format("{} ({} tries)", why, tries);
}

}  // namespace

void try_part(
    Database& db,
    const NightlyRow& nightly,
    std::string_view what,
    const std::function<void()>& part,
    std::int64_t now_s) {
    const auto trouble = try_alone(db, part);
    if (!trouble) return;
    log_error(
        "nightly.part_failed",
        {{"nightly", nightly.id.value}, {"part", what}, {"error", *trouble}});
    const auto words = fmt::format("{} failed and is left out: {}", what, *trouble);
    record_nightly_event(db, nightly, "nightly.part_failed", words, now_s);
}

void quarantine_bisection(
    Database& db, BisectionId bisection, const std::string& why, std::int64_t now_s) {
    if (!try_alone(db, [&] { fail_bisection(db, bisection, why, now_s); })) return;
    // Without reading what may be the reason why the step cannot be made.
    fail_unreadable_bisection(db, bisection, {why, {}, {}}, now_s);
    for (const auto& one : list_searched_regressions(db, bisection)) {
        const auto to = one.has_culprit ? RegressionState::attributed : RegressionState::range;
        move_regression(db, one.id, to, why, now_s);
    }
}

void quarantine_nightly(
    Database& db, NightlyId nightly, const std::string& why, std::int64_t now_s) {
    const auto row = load_nightly(db, nightly);
    const std::string message = "quarantined: " + why;
    cancel_open_jobs(db, nightly, message, now_s);
    end_all_sessions(db, nightly);
    end_all_suspicions(db, nightly, Verdict::watch, message, now_s);
    end_searches(db, nightly, message, now_s);
    if (row.state != NightlyState::failed && row.state != NightlyState::done) {
        move_nightly(db, nightly, NightlyState::failed, message, now_s);
    } else {  // only the search for the commit that broke its build, or that fixed, went on
        record_nightly_event(db, row, "nightly.failed", message, now_s);
    }
    end_tries(db, nightly);
    const Trouble trouble{
        .kind = std::string(night_quarantined),
        .subject = "nightly/" + to_string(nightly),
        .project = row.project,
        .message = message + "; later nights go on, and its measurements are kept"};
    note_trouble(db, trouble, now_s);
}

void end_earlier_quarantined(Database& db, const NightlyRow& done, std::int64_t now_s) {
    for (const auto& open : list_troubles(db, night_quarantined)) {
        if (open.project == done.project) end_trouble(db, night_quarantined, open.subject, now_s);
    }
}

bool begin_try(Database& db, NightlyId nightly, std::int64_t now_s) {
    const auto tries = load_tries(db, nightly);
    if (tries.count < max_step_tries) {
        add_try(db, nightly);
        return true;
    }
    const auto& said = tries.message;
    const auto why = said.empty() ? std::string("the daemon ended during the step") : said;
    quarantine_nightly(db, nightly, words_of(why, tries.count), now_s);
    return false;
}

void fail_try(
    Database& db, NightlyId nightly, bool was_counted, const std::string& why, std::int64_t now_s) {
    if (!was_counted && !begin_try(db, nightly, now_s)) return;
    note_try_failed(db, nightly, why);
    const int tries = load_tries(db, nightly).count;
    if (tries < max_step_tries) return;
    quarantine_nightly(db, nightly, words_of(why, tries), now_s);
}

}  // namespace vigil::service
