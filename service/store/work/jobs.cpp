#include "service/store/work/jobs.hpp"

#include <nlohmann/json.hpp>

#include "schema/model/transitions.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "service/store/events.hpp"

namespace vigil::service {

namespace {

constexpr int job_columns = 9;

std::string select_jobs(const char* rest) {
    return std::string(
               "SELECT j.id, j.project_id, j.machine_class_id, j.purpose, j.state, "
               "j.attempt, j.lost_attempts, j.worker_id, j.lease_expires_at_s") +
           rest;
}

JobRow read_job(const Query& row) {
    return {
        .id = row.get<JobId>(0),
        .project = row.get<ProjectId>(1),
        .machine_class = row.get<MachineClassId>(2),
        .purpose = row.get<Purpose>(3),
        .state = row.get<JobState>(4),
        .attempt = row.get<int>(5),
        .lost_attempts = row.get<int>(6),
        .worker = row.get<std::optional<WorkerId>>(7),
        .lease_expires_at_s = row.get<std::optional<std::int64_t>>(8)};
}

std::vector<JobRow> read_jobs(Query rows) {
    std::vector<JobRow> jobs;
    while (rows.next()) jobs.push_back(read_job(rows));
    return jobs;
}

}  // namespace

JobId add_job(Database& db, const NewJob& job, std::int64_t now_s) {
    VIGIL_ASSERT(!job.builds.empty());  // without steps it only builds
    db.execute(
        "INSERT INTO job(project_id, machine_class_id, purpose, state, priority, nightly_id, "
        "session_id, probe_id, plan, created_at_s, only_worker_id) "
        "VALUES (?1, ?2, ?3, 'queued', ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        job.project,
        job.machine_class,
        job.purpose,
        static_cast<int>(job.priority),
        job.nightly,
        job.session,
        job.probe,
        wire::to_json(job.plan).dump(),
        now_s,
        job.only_worker);
    const JobId id{db.last_insert_id()};
    int position = 0;
    for (const auto build : job.builds) {
        db.execute(
            "INSERT INTO job_build(job_id, position, build_id) VALUES (?1, ?2, ?3)",
            id,
            position++,
            build);
    }
    record_event(
        db,
        now_s,
        "job.queued",
        job.project,
        "job/" + to_string(id),
        std::string(to_string(job.purpose)) + ", " + std::to_string(job.plan.steps.size()) +
            " steps");
    return id;
}

JobRow load_job(Database& db, JobId job) {
    auto rows = db.query(select_jobs(" FROM job j WHERE j.id = ?1"), job);
    if (!rows.next()) throw Error(Errc::not_found, "there is no job " + to_string(job));
    return read_job(rows);
}

JobPlan load_plan(Database& db, JobId job) {
    const auto text = db.find<std::string>("SELECT plan FROM job WHERE id = ?1", job);
    return wire::parse_job_plan(wire::parse_json(text.value(), "job.plan"));
}

std::vector<BuildId> list_job_builds(Database& db, JobId job) {
    std::vector<BuildId> builds;
    auto rows = db.query("SELECT build_id FROM job_build WHERE job_id = ?1 ORDER BY position", job);
    while (rows.next()) builds.push_back(rows.get<BuildId>(0));
    return builds;
}

void record_job(
    Database& db,
    const JobRow& job,
    std::string_view kind,
    std::string_view message,
    std::int64_t now_s) {
    record_event(db, now_s, kind, job.project, "job/" + to_string(job.id), message);
}

void move_job(Database& db, const JobRow& job, const JobMove& move) {
    if (!may_move(job.state, move.to)) {
        throw Error(
            Errc::conflict,
            "job " + to_string(job.id) + " is " + std::string(to_string(job.state)) +
                "; it cannot become " + std::string(to_string(move.to)));
    }
    db.execute(
        "UPDATE job SET state = ?2, attempt = attempt + (?2 = 'leased'), "
        "worker_id = iif(?2 IN ('done', 'cancelled'), worker_id, ?3), lease_expires_at_s = ?4, "
        "lost_attempts = lost_attempts + ?5, waits_since_s = iif(?5, NULL, waits_since_s), "
        "progress = iif(?2 IN ('failed', 'cancelled'), progress, ''), message = ?6, "
        "ended_at_s = ?7 WHERE id = ?1",
        job.id,
        move.to,
        move.worker,
        move.lease_expires_at_s,
        move.lost,
        move.message,
        move.ended_at_s);
}

std::vector<WaitingJob> list_waiting(
    Database& db, MachineClassId machine_class, WorkerId worker, int limit) {
    std::vector<WaitingJob> waiting;
    auto rows = db.query(
        select_jobs(", p.name FROM job j JOIN project p ON p.id = j.project_id "
                    "WHERE j.machine_class_id = ?1 AND j.state = 'queued' "
                    "AND (j.only_worker_id IS NULL OR j.only_worker_id = ?3) "
                    "ORDER BY j.priority DESC, j.id LIMIT ?2"),
        machine_class,
        limit,
        worker);
    while (rows.next()) {
        waiting.push_back({read_job(rows), rows.get<std::string>(job_columns)});
    }
    return waiting;
}

std::vector<JobBuild> list_job_builds(
    Database& db, JobId job, const Digest& recipe, const std::string& toolchain) {
    std::vector<JobBuild> builds;
    auto rows = db.query(
        "SELECT b.id, b.revision, b.input_kind, b.input_digest, b.input_error <> '', p.digest "
        "FROM job_build jb "
        "JOIN build b ON b.id = jb.build_id LEFT JOIN product p ON p.build_id = b.id "
        "AND p.recipe_digest = ?2 AND p.toolchain = ?3 AND p.state = 'built' "
        "WHERE jb.job_id = ?1 ORDER BY jb.position",
        job,
        recipe,
        toolchain);
    while (rows.next()) {
        builds.push_back(
            {.id = rows.get<BuildId>(0),
             .revision = rows.get<Revision>(1),
             .input_kind = rows.get<InputKind>(2),
             .input = rows.get<std::optional<Digest>>(3).value_or(Digest()),
             .no_input = rows.get<bool>(4),
             .product = rows.get<std::optional<Digest>>(5)});
    }
    return builds;
}

bool is_being_built(Database& db, BuildId build, const std::string& toolchain) {
    return db
        .find<int>(
            "SELECT 1 FROM job j JOIN job_build jb ON jb.job_id = j.id "
            "JOIN worker w ON w.id = j.worker_id WHERE jb.build_id = ?1 "
            "AND j.state = 'leased' AND w.toolchain = ?2 LIMIT 1",
            build,
            toolchain)
        .has_value();
}

std::vector<JobRow> list_leased(Database& db) {
    return read_jobs(db.query(select_jobs(" FROM job j WHERE j.state = 'leased' ORDER BY j.id")));
}

void renew_lease(
    Database& db, JobId job, std::int64_t lease_expires_at_s, const std::string& progress) {
    db.execute(
        "UPDATE job SET lease_expires_at_s = ?2, progress = ?3 WHERE id = ?1",
        job,
        lease_expires_at_s,
        progress);
}

int renew_leases(Database& db, std::int64_t lease_expires_at_s) {
    return static_cast<int>(db.execute(
        "UPDATE job SET lease_expires_at_s = ?1 WHERE state = 'leased'", lease_expires_at_s));
}

void note_waiting(Database& db, std::int64_t steady_s) {
    db.execute(
        "UPDATE job SET waits_since_s = ?1 WHERE state = 'queued' AND waits_since_s IS NULL",
        steady_s);
}

std::vector<JobRow> list_waiting_since(Database& db, std::int64_t steady_s, int limit) {
    return read_jobs(db.query(
        select_jobs(" FROM job j WHERE j.state = 'queued' AND j.waits_since_s <= ?1 "
                    "ORDER BY j.waits_since_s, j.id LIMIT ?2"),
        steady_s,
        limit));
}

std::vector<WaitsForOne> list_waiting_for_one(
    Database& db, std::int64_t after_s, std::int64_t until_s) {
    std::vector<WaitsForOne> waiting;
    auto rows = db.query(
        select_jobs(
            ", w.name, w.state = 'active', w.last_seen_at_s, EXISTS (SELECT 1 FROM job l "
            "WHERE l.state = 'leased' AND l.worker_id = w.id) "
            "FROM job j CROSS JOIN worker w ON w.id = j.only_worker_id WHERE j.state = 'queued' "
            "AND j.waits_since_s > ?1 AND j.waits_since_s <= ?2 ORDER BY j.waits_since_s, j.id"),
        after_s,
        until_s);
    while (rows.next()) {
        waiting.push_back(
            {.job = read_job(rows),
             .worker = rows.get<std::string>(job_columns),
             .is_active = rows.get<bool>(job_columns + 1),
             .last_seen_at_s = rows.get<std::int64_t>(job_columns + 2),
             .has_lease = rows.get<bool>(job_columns + 3)});
    }
    return waiting;
}

std::vector<JobRow> list_queued_for(Database& db, BuildId build) {
    return read_jobs(db.query(
        select_jobs(" FROM job j WHERE j.state = 'queued' "
                    "AND j.id IN (SELECT job_id FROM job_build WHERE build_id = ?1) ORDER BY j.id"),
        build));
}

}  // namespace vigil::service
