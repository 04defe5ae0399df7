#include "service/watch/confirm/session.hpp"

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/store/work/builds.hpp"
#include "service/watch/series/benchmarks.hpp"

namespace vigil::service {

namespace {

// Runs that a job asked for, and whether some of each side passed.
constexpr const char* asked_and_passed =
    "ifnull(json_array_length(j.plan, '$.steps'), 0), (SELECT COUNT(DISTINCT r.build_id = "
    "x.b_build_id) FROM run r WHERE r.job_id = j.id AND r.attempt = j.attempt "
    "AND r.outcome = 'passed')";

constexpr std::size_t block_runs = 4;

std::vector<BuildId> old_builds(Database& db, const std::string& old_nights) {
    std::vector<BuildId> builds;
    for (const auto& night : wire::parse_json(old_nights, "session.old_nights")) {
        builds.push_back(build_of(db, NightlyId{night.get<std::int64_t>()}));
    }
    return builds;
}

}  // namespace

SessionId ensure_session(Database& db, SuspicionId suspicion, std::int64_t now_s) {
    const auto found = db.find<SessionId>(
        "SELECT x.id FROM suspicion u JOIN series s ON s.id = u.series_id "
        "JOIN session x ON x.nightly_id = u.nightly_id AND x.old_nights = u.old_nights "
        "AND x.benchmark = s.benchmark AND x.variant = s.variant "
        "AND x.machine_class_id = s.machine_class_id WHERE u.id = ?1",
        suspicion);
    if (found) return *found;
    db.execute(
        "INSERT INTO session(project_id, a_build_id, b_build_id, benchmark, variant, "
        "machine_class_id, nightly_id, state, created_at_s, old_nights) "
        "SELECT s.project_id, g.build_id, n.build_id, s.benchmark, s.variant, s.machine_class_id, "
        "n.id, 'open', ?2, u.old_nights FROM suspicion u JOIN series s ON s.id = u.series_id "
        "JOIN nightly n ON n.id = u.nightly_id JOIN nightly g ON g.id = u.good_nightly_id "
        "WHERE u.id = ?1",
        suspicion,
        now_s);
    return SessionId{db.last_insert_id()};
}

SessionState load_state(Database& db, SessionId session) {
    SessionState state;
    auto rows = db.query(
        "SELECT j.state IN ('queued', 'leased'), " + std::string(asked_and_passed) +
            " FROM session x JOIN job j ON j.session_id = x.id WHERE x.id = ?1",
        session);
    while (rows.next()) {
        ++state.jobs;
        if (rows.get<bool>(0)) {
            ++state.open_jobs;
        } else if (rows.get<int>(2) < 2) {
            ++state.empty_jobs;
        } else {
            state.runs += rows.get<std::size_t>(1);
        }
    }
    return state;
}

std::vector<detect::SessionRun> load_runs(Database& db, SessionId session, SeriesId series) {
    std::vector<detect::SessionRun> runs;
    auto rows = db.query(
        "SELECT j.id, " + std::string(asked_and_passed) +
            ", r.build_id = x.b_build_id, m.median FROM session x "
            "CROSS JOIN job j ON j.session_id = x.id AND j.state = 'done' "
            "CROSS JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt AND r.outcome = "
            "'passed' "
            "CROSS JOIN judged_measurement m ON m.run_id = r.id AND m.series_id = ?2 "
            "WHERE x.id = ?1 ORDER BY j.id, r.step",
        session,
        series);
    // Two halves are one block.
    std::size_t asked = 0;
    int block = 0;
    JobId job;
    while (rows.next()) {
        if (rows.get<int>(2) < 2) continue;
        if (rows.get<JobId>(0) != job) {
            job = rows.get<JobId>(0);
            block = static_cast<int>(asked / block_runs);
            asked += rows.get<std::size_t>(1);
        }
        runs.push_back(
            {rows.get<bool>(3) ? detect::Side::b : detect::Side::a, block, rows.get<double>(4)});
    }
    return runs;
}

void add_runs(
    Database& db,
    const ProjectConfig& config,
    SessionId session,
    const std::vector<detect::WantedRun>& wanted,
    std::int64_t now_s) {
    auto rows = db.query(
        "SELECT project_id, b_build_id, benchmark, variant, machine_class_id, nightly_id, "
        "old_nights FROM session WHERE id = ?1",
        session);
    VIGIL_ASSERT(rows.next());
    NewJob job;
    job.project = rows.get<ProjectId>(0);
    job.machine_class = rows.get<MachineClassId>(4);
    job.purpose = Purpose::confirm;
    job.priority = Priority::confirm;
    job.nightly = rows.get<NightlyId>(5);
    job.session = session;
    job.plan.benchmarks = {find_benchmark(
        db, config, job.project, rows.get<std::string>(2), rows.get<std::string>(3))};
    const auto new_build = rows.get<BuildId>(1);
    const auto old = old_builds(db, rows.get<std::string>(6));
    for (const auto& run : wanted) {
        const auto build = run.side == detect::Side::b ? new_build : old.at(run.old);
        auto place = std::find(job.builds.begin(), job.builds.end(), build);
        if (place == job.builds.end()) {
            job.builds.push_back(build);
            place = std::prev(job.builds.end());
        }
        job.plan.steps.push_back({static_cast<int>(place - job.builds.begin()), 0});
    }
    add_job(db, job, now_s);
}

}  // namespace vigil::service
