#include "service/store/series/sessions.hpp"

#include <algorithm>

#include "service/store/json_columns.hpp"

namespace vigil::service {

SessionRow load_session(Database& db, SessionId session) {
    return db.load<SessionRow>(
        "session",
        "SELECT x.id, x.project_id, x.nightly_id, x.benchmark, x.variant, x.machine_class_id, "
        "x.old_nights, x.b_build_id, a.revision = b.revision, x.request_id, x.a_build_id, "
        "x.case_name "
        "FROM session x "
        "JOIN build a ON a.id = x.a_build_id JOIN build b ON b.id = x.b_build_id WHERE x.id = ?1",
        session);
}

SessionId ensure_session(
    Database& db,
    const OpenSuspicion& suspicion,
    const std::string& case_name,
    std::int64_t now_s) {
    const auto& series = suspicion.series;
    const auto variant = variant_of(series);
    const auto found = db.find<SessionId>(
        "SELECT id FROM session WHERE nightly_id = ?1 AND old_nights = ?2 AND benchmark = ?3 "
        "AND variant = ?4 AND machine_class_id = ?5 AND case_name = ?6",
        suspicion.nightly,
        suspicion.old_nights,
        variant,
        case_name);
    if (found) return *found;
    return db.insert<SessionId>(
        "INSERT INTO session(project_id, a_build_id, b_build_id, benchmark, variant, "
        "machine_class_id, nightly_id, state, created_at_s, old_nights, case_name) "
        "SELECT ?1, g.build_id, n.build_id, ?2, ?3, ?4, n.id, 'open', ?5, ?6, ?9 "
        "FROM nightly n JOIN nightly g ON g.id = ?8 WHERE n.id = ?7",
        series.project,
        variant,
        now_s,
        suspicion.old_nights,
        suspicion.nightly,
        suspicion.good_nightly,
        case_name);
}

void run_whole(
    Database& db,
    ProjectId project,
    const std::string& benchmark,
    const std::string& variant,
    const std::string& case_name) {
    db.execute(
        "UPDATE session SET case_name = '' WHERE project_id = ?1 AND benchmark = ?2 "
        "AND variant = ?3 AND case_name = ?4 AND state = 'open'",
        project,
        benchmark,
        variant,
        case_name);
}

bool has_case_session(
    Database& db, const std::vector<SessionId>& sessions, const SeriesRow& series) {
    return std::ranges::any_of(sessions, [&](SessionId session) {
        return db.has(
            "SELECT 1 FROM session WHERE id = ?1 AND benchmark = ?2 AND variant = ?3 "
            "AND machine_class_id = ?4 AND case_name = ?5",
            session,
            variant_of(series),
            series.case_name);
    });
}

void end_session(Database& db, SessionId session) {
    db.execute("UPDATE session SET state = 'done' WHERE id = ?1", session);
}

void end_all_sessions(Database& db, NightlyId nightly) {
    db.execute("UPDATE session SET state = 'done' WHERE nightly_id = ?1", nightly);
}

void end_idle_sessions(Database& db, NightlyId nightly) {
    db.execute(
        "UPDATE session SET state = 'done' WHERE nightly_id = ?1 AND state = 'open' AND NOT EXISTS "
        "(SELECT 1 FROM suspicion u WHERE u.nightly_id = ?1 AND u.state = 'confirming' "
        "AND u.session_id = session.id)",
        nightly);
}

std::vector<SessionJob> list_session_jobs(Database& db, SessionId session) {
    return db.all<SessionJob>(
        "SELECT j.id, j.state IN {open_jobs}, "
        "ifnull(json_array_length(j.plan, '$.steps'), 0), (SELECT COUNT(DISTINCT r.build_id = "
        "x.b_build_id) FROM run r WHERE r.job_id = j.id AND r.attempt = j.attempt "
        "AND r.outcome = 'passed') FROM session x CROSS JOIN job j ON j.session_id = x.id "
        "WHERE x.id = ?1 ORDER BY j.id",
        session);
}

OutcomeCounts count_outcomes(Database& db, SessionId session, const std::string& case_name) {
    return *db.first<OutcomeCounts>(
        "WITH ran AS (SELECT r.build_id = x.b_build_id AS is_new, r.outcome = 'passed' "
        "AND NOT EXISTS (SELECT 1 FROM case_failure f WHERE f.run_id = r.id "
        "AND f.case_name = ?2) AS passed "
        "FROM session x JOIN job j ON j.session_id = x.id AND j.state = 'done' "
        "JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt AND r.case_name = x.case_name "
        "WHERE x.id = ?1) "
        "SELECT count(*) FILTER (WHERE NOT is_new), count(*) FILTER (WHERE NOT is_new AND passed), "
        "count(*) FILTER (WHERE is_new), count(*) FILTER (WHERE is_new AND passed) FROM ran",
        session,
        case_name);
}

std::vector<SessionValue> list_session_values(Database& db, SessionId session, SeriesId series) {
    return db.all<SessionValue>(
        "SELECT j.id, r.build_id = x.b_build_id, m.median FROM session x "
        "CROSS JOIN job j ON j.session_id = x.id AND j.state = 'done' "
        "CROSS JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt AND r.outcome = 'passed' "
        "AND r.case_name = x.case_name "
        "CROSS JOIN judged_measurement m ON m.run_id = r.id AND m.series_id = ?2 "
        "WHERE x.id = ?1 ORDER BY j.id, r.step",
        session,
        series);
}

std::vector<ConfirmRuns> list_confirm_runs(Database& db, NightlyId nightly) {
    return db.all<ConfirmRuns>(
        "SELECT ifnull((SELECT x.state = 'open' FROM session x WHERE x.id = j.session_id), 0), "
        "sum(ifnull(json_array_length(j.plan, '$.steps'), 0)) FROM job j "
        "WHERE j.nightly_id = ?1 AND j.purpose = 'confirm' "
        "AND j.state NOT IN {undone_jobs} GROUP BY ifnull(j.session_id, 0) "
        "UNION ALL SELECT 0, passed + unsupported FROM rolled_jobs WHERE nightly_id = ?1 "
        "AND purpose = 'confirm'",
        nightly);
}

}  // namespace vigil::service
