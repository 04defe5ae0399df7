#include "service/store/series/sessions.hpp"

#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"

namespace vigil::service {

SessionRow load_session(Database& db, SessionId session) {
    auto row = db.query(
        "SELECT x.project_id, x.nightly_id, x.benchmark, x.variant, x.machine_class_id, "
        "x.old_nights, x.b_build_id, a.revision = b.revision FROM session x "
        "JOIN build a ON a.id = x.a_build_id JOIN build b ON b.id = x.b_build_id WHERE x.id = ?1",
        session);
    if (!row.next()) throw Error(Errc::not_found, "there is no session " + to_string(session));
    SessionRow found{
        session,
        row.get<ProjectId>(0),
        row.get<NightlyId>(1),
        row.get<std::string>(2),
        row.get<std::string>(3),
        row.get<MachineClassId>(4),
        {},
        row.get<BuildId>(6),
        row.get<bool>(7)};
    for (const auto& night : wire::parse_json(row.get<std::string>(5), "session.old_nights")) {
        found.old_nights.push_back(NightlyId{night.get<std::int64_t>()});
    }
    return found;
}

SessionId ensure_session(Database& db, const OpenSuspicion& suspicion, std::int64_t now_s) {
    const auto& series = suspicion.series;
    const auto found = db.find<SessionId>(
        "SELECT id FROM session WHERE nightly_id = ?1 AND old_nights = ?2 AND benchmark = ?3 "
        "AND variant = ?4 AND machine_class_id = ?5",
        suspicion.nightly,
        suspicion.old_nights,
        series.benchmark,
        series.variant,
        series.machine_class);
    if (found) return *found;
    db.execute(
        "INSERT INTO session(project_id, a_build_id, b_build_id, benchmark, variant, "
        "machine_class_id, nightly_id, state, created_at_s, old_nights) "
        "SELECT ?1, g.build_id, n.build_id, ?2, ?3, ?4, n.id, 'open', ?5, ?6 "
        "FROM nightly n JOIN nightly g ON g.id = ?8 WHERE n.id = ?7",
        series.project,
        series.benchmark,
        series.variant,
        series.machine_class,
        now_s,
        suspicion.old_nights,
        suspicion.nightly,
        suspicion.good_nightly);
    return SessionId{db.last_insert_id()};
}

void end_session(Database& db, SessionId session) {
    db.execute("UPDATE session SET state = 'done' WHERE id = ?1", session);
}

std::vector<SessionJob> list_session_jobs(Database& db, SessionId session) {
    std::vector<SessionJob> jobs;
    auto rows = db.query(
        "SELECT j.id, j.state IN ('queued', 'leased'), "
        "ifnull(json_array_length(j.plan, '$.steps'), 0), (SELECT COUNT(DISTINCT r.build_id = "
        "x.b_build_id) FROM run r WHERE r.job_id = j.id AND r.attempt = j.attempt "
        "AND r.outcome = 'passed') FROM session x CROSS JOIN job j ON j.session_id = x.id "
        "WHERE x.id = ?1 ORDER BY j.id",
        session);
    while (rows.next()) {
        jobs.push_back(
            {rows.get<JobId>(0), rows.get<bool>(1), rows.get<std::size_t>(2), rows.get<int>(3)});
    }
    return jobs;
}

std::vector<SessionOutcome> list_session_outcomes(Database& db, SessionId session) {
    std::vector<SessionOutcome> outcomes;
    auto rows = db.query(
        "SELECT r.build_id = x.b_build_id, r.outcome = 'passed' FROM session x "
        "JOIN job j ON j.session_id = x.id AND j.state = 'done' "
        "JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt WHERE x.id = ?1",
        session);
    while (rows.next()) outcomes.push_back({rows.get<bool>(0), rows.get<bool>(1)});
    return outcomes;
}

std::vector<SessionValue> list_session_values(Database& db, SessionId session, SeriesId series) {
    std::vector<SessionValue> values;
    auto rows = db.query(
        "SELECT j.id, r.build_id = x.b_build_id, m.median FROM session x "
        "CROSS JOIN job j ON j.session_id = x.id AND j.state = 'done' "
        "CROSS JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt AND r.outcome = 'passed' "
        "CROSS JOIN judged_measurement m ON m.run_id = r.id AND m.series_id = ?2 "
        "WHERE x.id = ?1 ORDER BY j.id, r.step",
        session,
        series);
    while (rows.next()) {
        values.push_back({rows.get<JobId>(0), rows.get<bool>(1), rows.get<double>(2)});
    }
    return values;
}

std::vector<ConfirmRuns> list_confirm_runs(Database& db, NightlyId nightly) {
    std::vector<ConfirmRuns> asked;
    auto rows = db.query(
        "SELECT ifnull((SELECT x.state = 'open' FROM session x WHERE x.id = j.session_id), 0), "
        "sum(ifnull(json_array_length(j.plan, '$.steps'), 0)) FROM job j "
        "WHERE j.nightly_id = ?1 AND j.purpose = 'confirm' "
        "AND j.state IN ('queued', 'leased', 'done') GROUP BY ifnull(j.session_id, 0)",
        nightly);
    while (rows.next()) asked.push_back({rows.get<bool>(0), rows.get<int>(1)});
    return asked;
}

}  // namespace vigil::service
