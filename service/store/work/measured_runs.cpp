#include "service/store/work/measured_runs.hpp"

namespace vigil::service {

std::vector<MeasuredRun> list_measured_runs(Database& db, JobId job) {
    std::vector<MeasuredRun> runs;
    RunId at;
    auto rows = db.query(
        "SELECT r.id, r.build_id, r.outcome = 'passed', r.benchmark, r.variant, "
        "r.machine_class_id, m.series_id, m.median FROM job j JOIN run r ON r.job_id = j.id "
        "AND r.attempt = j.attempt LEFT JOIN judged_measurement m ON m.run_id = r.id "
        "WHERE j.id = ?1 ORDER BY r.step",
        job);
    while (rows.next()) {
        if (runs.empty() || at != rows.get<RunId>(0)) {
            at = rows.get<RunId>(0);
            runs.push_back(
                {rows.get<BuildId>(1),
                 rows.get<bool>(2),
                 rows.get<std::string>(3),
                 rows.get<std::string>(4),
                 rows.get<MachineClassId>(5),
                 {}});
        }
        const auto series = rows.get<std::optional<SeriesId>>(6);
        if (series) runs.back().values[*series] = rows.get<double>(7);
    }
    return runs;
}

std::vector<JobId> list_done_jobs(Database& db, SessionId session) {
    std::vector<JobId> jobs;
    auto rows = db.query(
        "SELECT id FROM job WHERE session_id = ?1 AND state = 'done' ORDER BY id", session);
    while (rows.next()) jobs.push_back(rows.get<JobId>(0));
    return jobs;
}

std::optional<double> find_usual_run_ns(Database& db, SeriesId series) {
    return db.find<double>(
        "SELECT AVG(duration_ns) FROM (SELECT r.duration_ns FROM measurement m "
        "CROSS JOIN run r ON r.id = m.run_id WHERE m.series_id = ?1 ORDER BY m.run_id DESC LIMIT "
        "20)",
        series);
}

}  // namespace vigil::service
