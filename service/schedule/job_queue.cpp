#include "service/schedule/job_queue.hpp"

#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "service/schedule/job_rows.hpp"
#include "service/schedule/job_rules.hpp"
#include "service/store/alone.hpp"
#include "service/store/content_index.hpp"
#include "service/store/events.hpp"
#include "service/store/ids.hpp"
#include "service/store/workers.hpp"

namespace vigil::service {

namespace {

constexpr std::int64_t longest_wait_s = 24 * 3600;
constexpr std::int64_t wait_for_one_s = 3600;  // for the only worker that may do it
constexpr int max_looked_at = 200;             // waiting jobs one claim looks at

struct ClaimingWorker {
    WorkerId id;
    std::string name;
    MachineClassId machine_class;
    std::string class_name;
    std::string toolchain;
};

std::optional<ClaimingWorker> find_active(Database& db, WorkerId id) {
    auto rows = db.query(
        "SELECT w.name, w.machine_class_id, c.name, w.toolchain FROM worker w "
        "JOIN machine_class c ON c.id = w.machine_class_id WHERE w.id = ?1 "
        "AND w.state = 'active'",
        id);
    if (!rows.next()) return std::nullopt;
    return ClaimingWorker{
        id,
        rows.get<std::string>(0),
        rows.get<MachineClassId>(1),
        rows.get<std::string>(2),
        rows.get<std::string>(3)};
}

struct WaitingJob {
    JobId id;
    ProjectId project;
    std::string project_name;
};

std::vector<WaitingJob> list_waiting(Database& db, MachineClassId machine_class, WorkerId worker) {
    std::vector<WaitingJob> waiting;
    auto rows = db.query(
        "SELECT j.id, j.project_id, p.name FROM job j JOIN project p ON p.id = j.project_id "
        "WHERE j.machine_class_id = ?1 AND j.state = 'queued' "
        "AND (j.only_worker_id IS NULL OR j.only_worker_id = ?3) "
        "ORDER BY j.priority DESC, j.id LIMIT ?2",
        machine_class,
        max_looked_at,
        worker);
    while (rows.next()) {
        waiting.push_back({rows.get<JobId>(0), rows.get<ProjectId>(1), rows.get<std::string>(2)});
    }
    return waiting;
}

struct BuildRow {
    BuildOrder order;
    NeededBuild needed;
};

// Another job under lease, on a worker of the same toolchain, that needs this build too: it began
// first, so it is the one that makes it.
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

std::vector<BuildRow> load_builds(
    Database& db, JobId job, const Recipe& recipe, const std::string& toolchain) {
    std::vector<BuildRow> builds;
    const auto recipe_digest = wire::digest_of(recipe);
    auto rows = db.query(
        "SELECT b.id, b.revision, b.input_kind, b.input_digest, p.digest, b.input_error "
        "FROM job_build jb "
        "JOIN build b ON b.id = jb.build_id LEFT JOIN product p ON p.build_id = b.id "
        "AND p.recipe_digest = ?2 AND p.toolchain = ?3 AND p.state = 'built' "
        "WHERE jb.job_id = ?1 ORDER BY jb.position",
        job,
        recipe_digest,
        toolchain);
    while (rows.next()) {
        BuildRow row;
        row.order.id = rows.get<BuildId>(0);
        row.order.revision = rows.get<Revision>(1);
        row.order.input_kind = rows.get<InputKind>(2);
        row.order.input = rows.get<std::optional<Digest>>(3).value_or(Digest());
        row.order.recipe = recipe;
        row.order.product = rows.get<std::optional<Digest>>(4);
        row.needed.has_input = !row.order.input.empty() && rows.get<std::string>(5).empty();
        row.needed.has_product = row.order.product.has_value();
        builds.push_back(std::move(row));
    }
    if (builds.empty()) throw Error(Errc::internal, "no build is named for it");
    for (auto& row : builds) {
        if (!row.needed.has_product) {
            row.needed.being_built = is_being_built(db, row.order.id, toolchain);
        }
    }
    return builds;
}

Lease take(
    Database& db,
    const Config& config,
    const ClaimingWorker& worker,
    const WaitingJob& job,
    const std::vector<BuildRow>& builds,
    const Moment& now) {
    const auto now_s = now.now_s;
    db.execute(
        "UPDATE job SET state = 'leased', attempt = attempt + 1, worker_id = ?2, "
        "lease_expires_at_s = ?3, progress = '' WHERE id = ?1",
        job.id,
        worker.id,
        now.steady_s + config.jobs.lease_ttl_s);
    Lease lease;
    lease.job = job.id;
    lease.ttl_s = config.jobs.lease_ttl_s;
    lease.project = job.project_name;
    auto rows = db.query("SELECT attempt, purpose, plan FROM job WHERE id = ?1", job.id);
    VIGIL_ASSERT(rows.next());
    lease.attempt = rows.get<int>(0);
    lease.purpose = rows.get<Purpose>(1);
    lease.plan = wire::parse_job_plan(wire::parse_json(rows.get<std::string>(2), "job.plan"));
    const auto machine_class = config.machine_classes.find(worker.class_name);
    if (machine_class != config.machine_classes.end()) {
        lease.environment = machine_class->second.environment;
    }
    for (const auto& build : builds) {
        lease.builds.push_back(build.order);
        touch_content(db, build.order.product.value_or(build.order.input), now_s);
    }
    db.execute(
        "INSERT INTO attempt(job_id, number, worker_id, recipe_digest, claimed_at_s, key) "
        "VALUES (?1, ?2, ?3, ?4, ?5, lower(hex(randomblob(16))))",
        job.id,
        lease.attempt,
        worker.id,
        wire::digest_of(builds.front().order.recipe),
        now_s);
    lease.key =
        db.find<std::string>(
              "SELECT key FROM attempt WHERE job_id = ?1 AND number = ?2", job.id, lease.attempt)
            .value();
    record_event(
        db,
        now_s,
        "job.leased",
        job.project,
        "job/" + to_string(job.id),
        "attempt " + std::to_string(lease.attempt) + " by worker " + worker.name);
    return lease;
}

// A job whose rows cannot be read ends, so that the others are claimed, lost and cancelled.
void end_unreadable(Database& db, JobId job, const std::string& why, std::int64_t now_s) {
    db.execute(
        "UPDATE job SET state = 'failed', message = ?2, ended_at_s = ?3, worker_id = NULL, "
        "lease_expires_at_s = NULL WHERE id = ?1",
        job,
        "it cannot be read: " + why,
        now_s);
    record_event(
        db,
        now_s,
        "job.unreadable",
        db.find<ProjectId>("SELECT project_id FROM job WHERE id = ?1", job),
        "job/" + to_string(job),
        why);
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

std::optional<Lease> claim_job(Database& db, const Config& config, WorkerId id, const Moment& now) {
    const auto worker = find_active(db, id);
    if (!worker) return std::nullopt;
    for (const auto& job : list_waiting(db, worker->machine_class, id)) {
        const auto project = config.projects.find(job.project_name);
        if (project == config.projects.end()) continue;
        std::optional<Lease> lease;
        const auto trouble = try_alone(db, [&] {
            const auto builds = load_builds(db, job.id, project->second.recipe, worker->toolchain);
            std::vector<NeededBuild> needed;
            for (const auto& build : builds) needed.push_back(build.needed);
            if (can_begin(needed)) lease = take(db, config, *worker, job, builds, now);
        });
        if (trouble) end_unreadable(db, job.id, *trouble, now.now_s);
        if (lease && !trouble) return lease;
    }
    return std::nullopt;
}

HeartbeatReply heartbeat(
    Database& db,
    const JobConfig& rules,
    JobId job,
    int attempt,
    WorkerId worker,
    const std::string& progress,
    const Moment& now) {
    const auto row = load_job_row(db, job);
    const bool newest = row.attempt == attempt && row.worker == worker;
    if (newest && row.state == JobState::cancelled) return {.cancel = true, .ttl_s = 0};
    if (!newest || row.state != JobState::leased) {
        throw Error(
            Errc::conflict,
            "attempt " + std::to_string(attempt) + " of job " + to_string(job) +
                " is over; its result will not be taken");
    }
    db.execute(
        "UPDATE job SET lease_expires_at_s = ?2, progress = ?3 WHERE id = ?1",
        job,
        now.steady_s + rules.lease_ttl_s,
        progress);
    db.execute("UPDATE worker SET last_seen_at_s = ?2 WHERE id = ?1", worker, now.now_s);
    return {.cancel = false, .ttl_s = rules.lease_ttl_s};
}

void meet_process(
    Database& db,
    const JobConfig& rules,
    WorkerId worker,
    const std::string& instance,
    std::int64_t now_s) {
    if (instance.empty()) return;
    std::string known;
    {
        auto rows =
            db.query("SELECT instance, instance_before, name FROM worker WHERE id = ?1", worker);
        VIGIL_ASSERT(rows.next());
        known = rows.get<std::string>(0);
        if (known == instance) return;
        if (rows.get<std::string>(1) == instance) {
            throw Error(
                Errc::conflict,
                "another process claims as worker " + rows.get<std::string>(2) +
                    " since; end one of them, or give it a token of its own");
        }
    }
    db.execute(
        "UPDATE worker SET instance = ?2, instance_before = ?3 WHERE id = ?1",
        worker,
        instance,
        known);
    std::vector<JobId> left;
    {
        auto rows = db.query(
            "SELECT id FROM job WHERE state = 'leased' AND worker_id = ?1 ORDER BY id", worker);
        while (rows.next()) left.push_back(rows.get<JobId>(0));
    }
    for (const auto job : left) {
        lose_attempt(
            db, rules, load_job_row(db, job), "lost", "its worker's process is gone", now_s);
    }
}

int expire_leases(Database& db, const JobConfig& rules, const Moment& now) {
    std::vector<JobId> expired;
    {
        auto rows = db.query(
            "SELECT id FROM job WHERE state = 'leased' AND lease_expires_at_s <= ?1 ORDER BY id",
            now.steady_s);
        while (rows.next()) expired.push_back(rows.get<JobId>(0));
    }
    for (const auto job : expired) {
        const auto trouble = try_alone(db, [&] {
            lose_attempt(db, rules, load_job_row(db, job), "lost", "the lease expired", now.now_s);
        });
        if (trouble) end_unreadable(db, job, *trouble, now.now_s);
    }
    return static_cast<int>(expired.size());
}

int renew_leases(Database& db, const JobConfig& rules, std::int64_t steady_s) {
    return static_cast<int>(db.execute(
        "UPDATE job SET lease_expires_at_s = ?1 WHERE state = 'leased'",
        steady_s + rules.lease_ttl_s));
}

int cancel_unclaimed(Database& db, const JobConfig& rules, const Moment& now) {
    struct Unclaimed {
        JobId job;
        std::string why;
    };
    std::vector<Unclaimed> unclaimed;
    db.execute(
        "UPDATE job SET waits_since_s = ?1 WHERE state = 'queued' AND waits_since_s IS NULL",
        now.steady_s);
    {
        // A worker with a lease is there, whatever the time of day says.
        auto rows = db.query(
            "SELECT j.id, iif(j.waits_since_s <= ?1, 'no worker of its machine class did it "
            "within a day', 'worker ' || w.name || ', which alone may do it, is not there and "
            "did not do it within an hour') FROM job j LEFT JOIN worker w ON w.id = "
            "j.only_worker_id "
            "AND (w.state <> 'active' OR w.last_seen_at_s <= ?3) AND NOT EXISTS (SELECT 1 "
            "FROM job l WHERE l.state = 'leased' AND l.worker_id = w.id) "
            "WHERE j.state = 'queued' AND j.waits_since_s <= ?2 "
            "AND (j.waits_since_s <= ?1 OR w.id IS NOT NULL) ORDER BY j.waits_since_s, j.id "
            "LIMIT 100",
            now.steady_s - longest_wait_s,
            now.steady_s - wait_for_one_s,
            seen_after_s(rules, now.now_s));
        while (rows.next()) unclaimed.push_back({rows.get<JobId>(0), rows.get<std::string>(1)});
    }
    for (const auto& one : unclaimed) {
        const auto trouble = try_alone(db, [&] {
            cancel_job(db, one.job, now.now_s);
            db.execute("UPDATE job SET message = ?2 WHERE id = ?1", one.job, one.why);
        });
        if (trouble) end_unreadable(db, one.job, *trouble, now.now_s);
    }
    return static_cast<int>(unclaimed.size());
}

void cancel_job(Database& db, JobId job, std::int64_t now_s) {
    const auto row = load_job_row(db, job);
    if (is_over(row.state)) {
        throw Error(
            Errc::conflict,
            "job " + to_string(job) + " is " + std::string(to_string(row.state)) + " already");
    }
    db.execute(
        "UPDATE job SET state = 'cancelled', ended_at_s = ?2, lease_expires_at_s = NULL "
        "WHERE id = ?1",
        job,
        now_s);
    db.execute(
        "UPDATE attempt SET outcome = 'cancelled', ended_at_s = ?3 WHERE job_id = ?1 "
        "AND number = ?2 AND outcome IS NULL",
        job,
        row.attempt,
        now_s);
    record_event(db, now_s, "job.cancelled", row.project, "job/" + to_string(job), "cancelled");
}

}  // namespace vigil::service
