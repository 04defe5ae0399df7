#include "service/watch/night/withdraw.hpp"

#include <optional>

#include <nlohmann/json.hpp>

#include "schema/model/states.hpp"
#include "schema/wire/json.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/store/events.hpp"
#include "service/store/ids.hpp"
#include "service/store/series/values.hpp"
#include "service/store/workers.hpp"
#include "service/watch/series/series_records.hpp"
#include "service/watch/series/suspicions.hpp"

namespace vigil::service {

namespace {

struct Part {
    NightlyId nightly;
    ProjectId project;
    NightlyState state = NightlyState::measuring;
    bool beside = false;
    std::optional<WorkerId> worker;
    std::string words;  ///< "nightly 12 (2026-11-22)", "what worker a measured in ..."
};

Part load_part(Database& db, const WithdrawnPart& wanted) {
    auto rows = db.query(
        "SELECT project_id, state, beside IS NOT NULL, name FROM nightly WHERE id = ?1",
        wanted.nightly);
    if (!rows.next()) {
        throw Error(Errc::not_found, "there is no nightly " + to_string(wanted.nightly));
    }
    Part part{
        wanted.nightly,
        rows.get<ProjectId>(0),
        rows.get<NightlyState>(1),
        rows.get<bool>(2),
        std::nullopt,
        "nightly " + to_string(wanted.nightly) + " (" + rows.get<std::string>(3) + ")"};
    if (wanted.worker.empty()) return part;
    part.worker = find_worker(db, wanted.worker);
    if (!part.worker) throw Error(Errc::not_found, "there is no worker '" + wanted.worker + "'");
    part.words = "what worker " + wanted.worker + " measured in " + part.words;
    return part;
}

bool stands(Database& db, const Part& part) {
    return db
        .find<int>(
            "SELECT 1 FROM withdrawal WHERE nightly_id = ?1 AND ifnull(worker_id, 0) = "
            "ifnull(?2, 0) AND restored_at_s IS NULL",
            part.nightly,
            part.worker)
        .has_value();
}

void check_measured(Database& db, const Part& part) {
    if (part.beside) {
        throw Error(
            Errc::conflict, part.words + " is measured beside the nights: nothing is judged by it");
    }
    if (!part.worker) return;
    const auto measured = db.find<int>(
        "SELECT 1 FROM job j JOIN run r ON r.job_id = j.id WHERE j.nightly_id = ?1 "
        "AND j.purpose = 'nightly' AND r.worker_id = ?2 LIMIT 1",
        part.nightly,
        part.worker);
    if (!measured) throw Error(Errc::conflict, part.words + ": it measured nothing there");
}

// What only the night's judgement needs. A probe of a search is somebody else's.
void cancel_jobs(Database& db, NightlyId nightly, std::int64_t now_s) {
    std::vector<JobId> jobs;
    {
        auto rows = db.query(
            "SELECT id FROM job WHERE nightly_id = ?1 AND state IN ('queued', 'leased') "
            "AND purpose IN ('nightly', 'confirm', 'request')",
            nightly);
        while (rows.next()) jobs.push_back(rows.get<JobId>(0));
    }
    for (const auto job : jobs) cancel_job(db, job, now_s);
}

// As one that had no turn: the answer that the loop is told should the night come back.
void end_open(Database& db, const Part& part, const std::string& why, std::int64_t now_s) {
    for (const auto& suspicion : list_unended(db, part.nightly)) {
        if (!is_left_out(db, part.nightly, suspicion.series.id)) continue;
        leave_suspicion(db, suspicion, why, now_s);
    }
}

// A session on which nothing stands any more.
void end_sessions(Database& db, const Part& part, std::int64_t now_s) {
    std::vector<JobId> jobs;
    {
        auto rows = db.query(
            "SELECT j.id FROM session x JOIN job j ON j.session_id = x.id "
            "AND j.state IN ('queued', 'leased') WHERE x.nightly_id = ?1 AND NOT EXISTS "
            "(SELECT 1 FROM suspicion u WHERE u.nightly_id = ?1 AND u.state = 'confirming' "
            "AND u.session_id = x.id)",
            part.nightly);
        while (rows.next()) jobs.push_back(rows.get<JobId>(0));
    }
    for (const auto job : jobs) cancel_job(db, job, now_s);
    db.execute(
        "UPDATE session SET state = 'done' WHERE nightly_id = ?1 AND state = 'open' AND NOT EXISTS "
        "(SELECT 1 FROM suspicion u WHERE u.nightly_id = ?1 AND u.state = 'confirming' "
        "AND u.session_id = session.id)",
        part.nightly);
}

void end_storms(Database& db, const Part& part, const std::string& why, std::int64_t now_s) {
    db.execute(
        "UPDATE storm SET state = 'given_up', message = ?3, ended_at_s = ?4 WHERE nightly_id = ?1 "
        "AND state = 'checking' AND (?2 IS NULL OR worker_id = ?2)",
        part.nightly,
        part.worker,
        why,
        now_s);
}

// Levels that the night began go with it, but for those on which a regression was filed or closed.
void mark_levels(Database& db, NightlyId nightly) {
    struct Level {
        std::int64_t id = 0;
        SeriesId series;
    };
    std::vector<Level> levels;
    {
        auto rows = db.query(
            "SELECT b.id, b.series_id FROM baseline b WHERE b.after_nightly_id = ?1 "
            "AND b.by_answer = 1 AND b.kind = 'rolling' AND NOT EXISTS (SELECT 1 FROM suspicion u "
            "JOIN regression_series x ON x.suspicion_id = u.id WHERE u.series_id = b.series_id "
            "AND u.nightly_id = ?1) AND NOT EXISTS (SELECT 1 FROM regression_series x "
            "WHERE x.series_id = b.series_id AND x.recovered_nightly_id = ?1)",
            nightly);
        while (rows.next()) levels.push_back({rows.get<std::int64_t>(0), rows.get<SeriesId>(1)});
    }
    for (const auto& level : levels) {
        const bool gone = is_left_out(db, nightly, level.series);
        db.execute("UPDATE baseline SET withdrawn = ?2 WHERE id = ?1", level.id, gone ? 1 : 0);
    }
}

// Whatever tells of the night is told anew.
void tell_anew(Database& db, NightlyId nightly, std::int64_t now_s) {
    db.execute(
        "UPDATE regression SET changed_at_s = ?2 WHERE nightly_id = ?1 OR id IN (SELECT "
        "regression_id FROM regression_series WHERE recovered_nightly_id = ?1)",
        nightly,
        now_s);
    db.execute("UPDATE nightly SET summed_up = 0 WHERE id = ?1", nightly);
}

void note(
    Database& db,
    const Part& part,
    const char* kind,
    const std::string& what,
    const std::string& reason,
    const std::string& by,
    std::int64_t now_s) {
    const nlohmann::json data = {{"by", by}, {"reason", reason}};
    record_event(
        db,
        now_s,
        kind,
        part.project,
        "nightly/" + to_string(part.nightly),
        part.words + " is " + what + " by " + by + (reason.empty() ? "" : ": " + reason),
        wire::write_json(data));
}

}  // namespace

bool withdraw(
    Database& db,
    const WithdrawnPart& wanted,
    const std::string& reason,
    const std::string& by,
    std::int64_t now_s) {
    const auto part = load_part(db, wanted);
    if (stands(db, part)) return false;
    check_measured(db, part);
    db.execute(
        "INSERT INTO withdrawal(nightly_id, worker_id, reason, token, cut_off, created_at_s) "
        "VALUES (?1, ?2, ?3, ?4, ?5 OR EXISTS (SELECT 1 FROM withdrawal o WHERE o.nightly_id = ?1 "
        "AND o.cut_off = 1 AND o.restored_at_s IS NULL), ?6)",
        part.nightly,
        part.worker,
        reason,
        by,
        part.state == NightlyState::confirming ? 1 : 0,
        now_s);
    const auto why = part.words + " was withdrawn by " + by + ": " + reason;
    if (!part.worker) cancel_jobs(db, part.nightly, now_s);
    end_open(db, part, why, now_s);
    end_sessions(db, part, now_s);
    end_storms(db, part, why, now_s);
    mark_levels(db, part.nightly);
    mark_stale(db, part.nightly, part.worker);
    tell_anew(db, part.nightly, now_s);
    note(db, part, "nightly.withdrawn", "withdrawn", reason, by, now_s);
    return true;
}

bool restore(
    Database& db,
    const WithdrawnPart& wanted,
    const std::string& reason,
    const std::string& by,
    std::int64_t now_s) {
    const auto part = load_part(db, wanted);
    if (!stands(db, part)) return false;
    const bool was_cut_off = db.find<int>(
                                   "SELECT cut_off FROM withdrawal WHERE nightly_id = ?1 AND "
                                   "ifnull(worker_id, 0) = ifnull(?2, 0) AND restored_at_s IS NULL",
                                   part.nightly,
                                   part.worker)
                                 .value_or(0) != 0;
    db.execute(
        "UPDATE withdrawal SET restored_at_s = ?3 WHERE nightly_id = ?1 AND ifnull(worker_id, 0) = "
        "ifnull(?2, 0) AND restored_at_s IS NULL",
        part.nightly,
        part.worker,
        now_s);
    mark_levels(db, part.nightly);
    mark_stale(db, part.nightly, part.worker);
    tell_anew(db, part.nightly, now_s);
    // What it had confirmed is filed by the step that it did not come to.
    if (was_cut_off) {
        db.execute(
            "UPDATE nightly SET state = 'confirming', ended_at_s = NULL WHERE id = ?1 "
            "AND state IN ('searching', 'done')",
            part.nightly);
    }
    note(db, part, "nightly.restored", "restored", reason, by, now_s);
    return true;
}

std::vector<Withdrawal> list_withdrawals(Database& db, NightlyId nightly) {
    std::vector<Withdrawal> standing;
    auto rows = db.query(
        "SELECT ifnull(w.name, ''), x.reason, x.token, x.created_at_s FROM withdrawal x "
        "LEFT JOIN worker w ON w.id = x.worker_id WHERE x.nightly_id = ?1 "
        "AND x.restored_at_s IS NULL ORDER BY x.worker_id IS NOT NULL, x.id",
        nightly);
    while (rows.next()) {
        standing.push_back(
            {rows.get<std::string>(0),
             rows.get<std::string>(1),
             rows.get<std::string>(2),
             rows.get<std::int64_t>(3)});
    }
    return standing;
}

std::string words_of(const Withdrawal& withdrawal) {
    const auto what = withdrawal.worker.empty()
                          ? std::string("withdrawn")
                          : "what worker " + withdrawal.worker + " measured is withdrawn";
    return what + " by " + withdrawal.by + ": " + withdrawal.reason;
}

}  // namespace vigil::service
