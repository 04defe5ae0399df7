#include "service/watch/session.hpp"

#include <string>

#include "service/schedule/job_queue.hpp"
#include "service/watch/benchmarks.hpp"
#include "service/watch/builds.hpp"
#include "service/watch/nightlies.hpp"

namespace vigil::service {

SessionId ensure_session(
    Database& db, SeriesId id, NightlyId good, NightlyId nightly, std::int64_t now_s) {
    const auto series = load_series(db, id);
    const auto a = build_of(db, good);
    const auto b = build_of(db, nightly);
    const auto found = db.find<SessionId>(
        "SELECT id FROM session WHERE nightly_id = ?1 AND a_build_id = ?2 AND benchmark = ?3 "
        "AND variant = ?4 AND machine_class_id = ?5",
        nightly,
        a,
        series.benchmark,
        series.variant,
        series.machine_class);
    if (found) return *found;
    db.execute(
        "INSERT INTO session(project_id, a_build_id, b_build_id, benchmark, variant, "
        "machine_class_id, nightly_id, state, created_at_s) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'open', ?8)",
        series.project,
        a,
        b,
        series.benchmark,
        series.variant,
        series.machine_class,
        nightly,
        now_s);
    return SessionId{db.last_insert_id()};
}

SessionState load_state(Database& db, SessionId session) {
    SessionState state;
    auto rows = db.query(
        "SELECT j.state IN ('queued', 'leased'), (SELECT COUNT(DISTINCT r.build_id) FROM run r "
        "WHERE r.job_id = j.id AND r.attempt = j.attempt AND r.outcome = 'passed') "
        "FROM job j WHERE j.session_id = ?1",
        session);
    while (rows.next()) {
        ++state.jobs;
        if (rows.get<bool>(0)) {
            ++state.open_jobs;
        } else if (rows.get<int>(1) < 2) {
            ++state.empty_jobs;
        }
    }
    return state;
}

std::vector<detect::SessionRun> load_runs(Database& db, SessionId session, SeriesId series) {
    std::vector<detect::SessionRun> runs;
    auto rows = db.query(
        "SELECT j.id, r.build_id = x.a_build_id, m.median FROM session x "
        "CROSS JOIN job j ON j.session_id = x.id AND j.state = 'done' "
        "CROSS JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt AND r.outcome = 'passed' "
        "CROSS JOIN judged_measurement m ON m.run_id = r.id AND m.series_id = ?2 "
        "WHERE x.id = ?1 ORDER BY j.id, r.step",
        session,
        series);
    int block = -1;
    JobId job;
    while (rows.next()) {
        if (rows.get<JobId>(0) != job) ++block;
        job = rows.get<JobId>(0);
        runs.push_back(
            {rows.get<bool>(1) ? detect::Side::a : detect::Side::b, block, rows.get<double>(2)});
    }
    return runs;
}

void add_block(
    Database& db, const ProjectConfig& config, SessionId session, int block, std::int64_t now_s) {
    auto rows = db.query(
        "SELECT project_id, a_build_id, b_build_id, benchmark, variant, machine_class_id, "
        "nightly_id FROM session WHERE id = ?1",
        session);
    VIGIL_ASSERT(rows.next());
    NewJob job;
    job.project = rows.get<ProjectId>(0);
    job.machine_class = rows.get<MachineClassId>(5);
    job.purpose = Purpose::confirm;
    job.priority = static_cast<int>(Priority::confirm);
    job.nightly = rows.get<NightlyId>(6);
    job.session = session;
    job.builds = {rows.get<BuildId>(1), rows.get<BuildId>(2)};
    job.plan.benchmarks = {find_benchmark(
        db, config, job.project, rows.get<std::string>(3), rows.get<std::string>(4))};
    for (const auto side : detect::block_order(block)) {
        job.plan.steps.push_back({side == detect::Side::a ? 0 : 1, 0});
    }
    add_job(db, job, now_s);
}

}  // namespace vigil::service
