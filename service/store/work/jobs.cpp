#include "service/store/work/jobs.hpp"

#include "schema/model/transitions.hpp"
#include "service/store/events.hpp"
#include "service/store/json_columns.hpp"

namespace vigil::service {

namespace {

// A job `j` as a JobRow.
const std::string select_jobs =
    "SELECT j.id, j.project_id, j.machine_class_id, j.purpose, j.state, j.attempt, "
    "j.lost_attempts, j.worker_id, j.lease_expires_at_s";

const std::string select_attempts =
    "SELECT number, worker_id, recipe_digest, key, outcome, result_digest FROM attempt ";

}  // namespace

JobId add_job(Database& db, const NewJob& job, std::int64_t now_s) {
    VIGIL_ASSERT(!job.builds.empty());  // without steps it only builds
    const auto id = db.insert<JobId>(
        "INSERT INTO job(project_id, machine_class_id, purpose, state, priority, nightly_id, "
        "session_id, probe_id, plan, created_at_s, only_worker_id, except_worker_id) "
        "VALUES (?1, ?2, ?3, 'queued', ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        job.project,
        job.machine_class,
        job.purpose,
        static_cast<int>(job.priority),
        job.nightly,
        job.session,
        job.probe,
        job.plan,
        now_s,
        job.only_worker,
        job.except_worker);
    int position = 0;
    for (const auto build : job.builds) {
        db.execute(
            "INSERT INTO job_build(job_id, position, build_id) VALUES (?1, ?2, ?3)",
            id,
            position++,
            build);
    }
    const auto words = std::string(to_string(job.purpose)) + ", " +
                       std::to_string(job.plan.steps.size()) + " steps";
    record_event(db, now_s, "job.queued", job.project, "job/" + to_string(id), words);
    return id;
}

JobRow load_job(Database& db, JobId job) {
    return db.load<JobRow>("job", select_jobs + " FROM job j WHERE j.id = ?1", job);
}

WorkerId find_only_worker(Database& db, JobId job) {
    return db.find<WorkerId>("SELECT only_worker_id FROM job WHERE id = ?1", job).value();
}

std::string load_job_message(Database& db, JobId job) {
    return db.find<std::string>("SELECT message FROM job WHERE id = ?1", job).value();
}

JobPlan load_plan(Database& db, JobId job) {
    return db.find<JobPlan>("SELECT plan FROM job WHERE id = ?1", job).value();
}

std::vector<BuildId> list_job_builds(Database& db, JobId job) {
    return db.all<BuildId>(
        "SELECT build_id FROM job_build WHERE job_id = ?1 ORDER BY position", job);
}

std::vector<JobId> list_done_jobs(Database& db, SessionId session) {
    return db.all<JobId>(
        "SELECT id FROM job WHERE session_id = ?1 AND state = 'done' ORDER BY id", session);
}

void record_job(
    Database& db,
    const JobRow& job,
    std::string_view kind,
    std::string_view message,
    std::int64_t now_s) {
    record_event(db, now_s, kind, job.project, "job/" + to_string(job.id), message);
}

void remove_job_events(Database& db, JobId job) {
    db.execute("DELETE FROM event WHERE subject = ?1", "job/" + to_string(job));
}

void remove_job(Database& db, JobId job) {
    db.execute("DELETE FROM attempt WHERE job_id = ?1", job);
    db.execute("DELETE FROM job_build WHERE job_id = ?1", job);
    db.execute("DELETE FROM job WHERE id = ?1", job);
}

void move_job(Database& db, const JobRow& job, const JobMove& move) {
    check_move("job", job.id, job.state, move.to);
    db.execute(
        "UPDATE job SET state = ?2, attempt = attempt + (?2 = 'leased'), "
        "worker_id = iif(?2 IN ('done', 'cancelled'), worker_id, ?3), lease_expires_at_s = ?4, "
        "lost_attempts = lost_attempts + ?5, waits_since_s = iif(?5, NULL, waits_since_s), "
        "progress = iif(?2 IN ('failed', 'cancelled'), progress, ''), message = ?6, "
        "ended_at_s = ?7 WHERE id = ?1",
        job.id,
        move);
}

std::vector<WaitingProject> list_waiting_projects(Database& db, MachineClassId machine_class) {
    return db.all<WaitingProject>(
        "SELECT p.id, p.name FROM project p WHERE EXISTS (SELECT 1 FROM job j "
        "WHERE j.machine_class_id = ?1 AND j.project_id = p.id AND j.state = 'queued')",
        machine_class);
}

std::vector<WaitingJob> list_waiting(
    Database& db, MachineClassId machine_class, ProjectId project, WorkerId worker, int limit) {
    return db.all<WaitingJob>(
        select_jobs +
            ", j.priority FROM job j WHERE j.machine_class_id = ?1 AND j.project_id = ?2 "
            "AND j.state = 'queued' "
            "AND (j.only_worker_id IS NULL OR j.only_worker_id = ?3) "
            "AND j.except_worker_id IS NOT ?3 "
            "ORDER BY j.priority DESC, j.id LIMIT ?4",
        machine_class,
        project,
        worker,
        limit);
}

bool has_queued_up_to(Database& db, ProjectId project, int priority) {
    return db.has(
        "SELECT 1 FROM machine_class c CROSS JOIN job j INDEXED BY job_waiting "
        "ON j.machine_class_id = c.id WHERE j.project_id = ?1 AND j.state = 'queued' AND "
        "j.priority <= ?2 LIMIT 1",
        project,
        priority);
}

bool is_more_than(Database& db, JobId job, Priority priority, std::int64_t asked_s) {
    return db.has(
        "SELECT 1 FROM job WHERE id = ?1 AND priority > ?2 AND created_at_s <= ?3",
        job,
        static_cast<int>(priority),
        asked_s);
}

std::vector<LeasedJobs> count_leased(Database& db, MachineClassId machine_class) {
    return db.all<LeasedJobs>(
        "SELECT project_id, count(*) FROM job INDEXED BY job_leased WHERE state = 'leased' "
        "AND machine_class_id = ?1 GROUP BY 1",
        machine_class);
}

std::vector<JobRow> list_waiting_for_own(Database& db, ProjectId project, int limit) {
    return db.all<JobRow>(
        select_jobs +
            " FROM job j INDEXED BY job_for_one WHERE j.project_id = ?1 AND j.state = 'queued' "
            "AND j.only_worker_id IS NOT NULL ORDER BY j.priority DESC, j.id LIMIT ?2",
        project,
        limit);
}

std::vector<InputKind> list_input_kinds(Database& db, JobId job) {
    return db.all<InputKind>(
        "SELECT DISTINCT b.input_kind FROM job_build jb JOIN build b ON b.id = jb.build_id "
        "WHERE jb.job_id = ?1",
        job);
}

std::vector<JobBuild> list_job_builds(
    Database& db, JobId job, const Digest& recipe, const std::string& toolchain) {
    return db.all<JobBuild>(
        "SELECT b.id, b.revision, b.input_kind, b.input_digest, b.input_error <> '', p.digest, "
        "ifnull(s.describe, ''), ifnull(s.committed_at_s, 0) FROM job_build jb "
        "JOIN build b ON b.id = jb.build_id LEFT JOIN source_facts s ON s.build_id = b.id "
        "LEFT JOIN product p ON p.build_id = b.id "
        "AND p.recipe_digest = ?2 AND p.toolchain = ?3 AND p.state = 'built' "
        "WHERE jb.job_id = ?1 ORDER BY jb.position",
        job,
        recipe,
        toolchain);
}

bool is_under_way(Database& db, BuildId build) {
    return db.has(
        "SELECT 1 FROM job_build jb JOIN job j ON j.id = jb.job_id WHERE jb.build_id = ?1 "
        "AND j.state IN {open_jobs} LIMIT 1",
        build);
}

bool is_being_built(Database& db, BuildId build, const std::string& toolchain) {
    return db.has(
        "SELECT 1 FROM job j JOIN job_build jb ON jb.job_id = j.id "
        "JOIN worker w ON w.id = j.worker_id WHERE jb.build_id = ?1 "
        "AND j.state = 'leased' AND w.toolchain = ?2 LIMIT 1",
        build,
        toolchain);
}

std::vector<JobRow> list_leased(Database& db) {
    return db.all<JobRow>(select_jobs + " FROM job j WHERE j.state = 'leased' ORDER BY j.id");
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
        "UPDATE job SET lease_expires_at_s = ?1 WHERE state = 'leased' "
        "AND NOT EXISTS (SELECT 1 FROM callback c WHERE c.job_id = job.id)",
        lease_expires_at_s));
}

void note_waiting(Database& db, std::int64_t steady_s) {
    db.execute(
        "UPDATE job SET waits_since_s = ?1 WHERE state = 'queued' AND waits_since_s IS NULL",
        steady_s);
}

std::vector<WaitingJob> list_waiting_since(Database& db, std::int64_t steady_s, int limit) {
    return db.all<WaitingJob>(
        select_jobs +
            ", j.priority FROM job j WHERE j.state = 'queued' AND j.waits_since_s <= ?1 AND "
            "j.priority > ?3 "
            "ORDER BY j.waits_since_s, j.id LIMIT ?2",
        steady_s,
        limit,
        static_cast<int>(Priority::backfill));
}

std::vector<WaitsForOne> list_waiting_for_one(
    Database& db, std::int64_t after_s, std::int64_t until_s) {
    return db.all<WaitsForOne>(
        select_jobs + ", " + class_worker_columns +
            " FROM job j CROSS JOIN worker w ON w.id = j.only_worker_id WHERE j.state = 'queued' "
            "AND (j.waits_since_s > ?1 OR j.priority <= ?3) AND j.waits_since_s <= ?2 "
            "ORDER BY j.waits_since_s, j.id",
        after_s,
        until_s,
        static_cast<int>(Priority::backfill));
}

std::vector<WaitingJob> list_waiting_for_another(
    Database& db, std::int64_t after_s, std::int64_t until_s, int limit) {
    return db.all<WaitingJob>(
        select_jobs +
            ", j.priority FROM job j WHERE j.state = 'queued' AND j.except_worker_id IS NOT NULL "
            "AND j.waits_since_s > ?1 AND j.waits_since_s <= ?2 "
            "ORDER BY j.waits_since_s, j.id LIMIT ?3",
        after_s,
        until_s,
        limit);
}

std::vector<JobRow> list_queued_for(Database& db, BuildId build) {
    return db.all<JobRow>(
        select_jobs +
            " FROM job j WHERE j.state = 'queued' "
            "AND j.id IN (SELECT job_id FROM job_build WHERE build_id = ?1) ORDER BY j.id",
        build);
}

std::vector<AttemptRow> list_attempts(Database& db, JobId job) {
    return db.all<AttemptRow>(select_attempts + "WHERE job_id = ?1 ORDER BY number", job);
}

std::optional<AttemptRow> find_attempt(Database& db, JobId job, int number) {
    return db.first<AttemptRow>(select_attempts + "WHERE job_id = ?1 AND number = ?2", job, number);
}

void add_attempt(Database& db, JobId job, const AttemptRow& attempt, std::int64_t now_s) {
    db.execute(
        "INSERT INTO attempt(job_id, number, worker_id, recipe_digest, key, outcome, "
        "result_digest, claimed_at_s) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        job,
        attempt,
        now_s);
}

void end_attempt(Database& db, const JobRow& job, const AttemptEnd& end, std::int64_t now_s) {
    db.execute(
        "UPDATE attempt SET outcome = ?3, message = ?4, result_digest = ?5, "
        "environment_before_id = ?6, environment_after_id = ?7, load = ?8, build_s = ?9, "
        "ended_at_s = ?10 "
        "WHERE job_id = ?1 AND number = ?2 AND outcome IS NULL",
        job.id,
        job.attempt,
        end,
        now_s);
}

void note_stale_result(Database& db, JobId job, int number) {
    db.execute(
        "UPDATE attempt SET stale_results = stale_results + 1 WHERE job_id = ?1 AND number = ?2",
        job,
        number);
}

}  // namespace vigil::service
