// What a worker's result becomes in the ledger.

#include <bit>
#include <cstring>
#include <map>

#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/schedule/job_rows.hpp"
#include "service/schedule/job_rules.hpp"
#include "service/schedule/judgeable.hpp"
#include "service/store/events.hpp"
#include "service/store/workers.hpp"

namespace vigil::service {

namespace {

struct Finished {
    Database& db;
    const JobRow& job;
    WorkerId worker;
    const JobResult& result;
    const std::vector<std::vector<SampleFigures>>& figures;
    JobPlan plan;
    std::vector<BuildId> builds;
    std::string recipe_digest;
    std::string toolchain;
    std::int64_t now_s;
};

std::vector<BuildId> load_job_builds(Database& db, JobId job) {
    std::vector<BuildId> builds;
    auto rows = db.query("SELECT build_id FROM job_build WHERE job_id = ?1 ORDER BY position", job);
    while (rows.next()) builds.push_back(rows.get<BuildId>(0));
    return builds;
}

std::optional<std::int64_t> environment_id(Database& db, const EnvironmentRecord& record) {
    if (record.facts.empty()) return std::nullopt;
    const auto facts = nlohmann::json(record.facts).dump();
    const auto digest = wire::sha256(facts);
    db.execute(
        "INSERT INTO environment(digest, facts) VALUES (?1, ?2) ON CONFLICT DO NOTHING",
        digest,
        facts);
    return db.find<std::int64_t>("SELECT id FROM environment WHERE digest = ?1", digest);
}

// The first product of a key stays; another digest later means the build is not reproducible, which
// is worth knowing and changes nothing.
void write_built(const Finished& f, const BuildOutcome& build) {
    const auto before = f.db.find<Digest>(
        "SELECT digest FROM product WHERE build_id = ?1 AND recipe_digest = ?2 "
        "AND toolchain = ?3 AND state = 'built'",
        build.id,
        f.recipe_digest,
        f.toolchain);
    if (before && *before != *build.product) {
        record_event(
            f.db,
            f.now_s,
            "product.differs",
            f.job.project,
            "build/" + to_string(build.id),
            "built again as " + build.product->brief() + ", not " + before->brief() +
                ": the build is not reproducible");
    }
    if (before) return;
    f.db.execute(
        "INSERT INTO product(build_id, recipe_digest, toolchain, state, digest, log_digest, "
        "duration_ns, created_at_s) VALUES (?1, ?2, ?3, 'built', ?4, ?5, ?6, ?7) "
        "ON CONFLICT(build_id, recipe_digest, toolchain) DO UPDATE SET state = 'built', "
        "digest = ?4, log_digest = ?5, message = '', duration_ns = ?6, created_at_s = ?7",
        build.id,
        f.recipe_digest,
        f.toolchain,
        *build.product,
        build.log,
        build.duration_ns,
        f.now_s);
}

void write_failed(const Finished& f, const BuildOutcome& build) {
    f.db.execute(
        "INSERT INTO product(build_id, recipe_digest, toolchain, state, failures, log_digest, "
        "message, duration_ns, created_at_s) VALUES (?1, ?2, ?3, 'failed', 1, ?4, ?5, ?6, ?7) "
        "ON CONFLICT(build_id, recipe_digest, toolchain) DO UPDATE SET "
        "failures = failures + 1, log_digest = ?4, message = ?5 WHERE state = 'failed'",
        build.id,
        f.recipe_digest,
        f.toolchain,
        build.log,
        build.message,
        build.duration_ns,
        f.now_s);
    record_event(
        f.db,
        f.now_s,
        "build.failed",
        f.job.project,
        "build/" + to_string(build.id),
        build.message);
}

struct SeriesMeaning {
    std::string unit;
    Direction direction = Direction::lower_is_better;
};

SeriesMeaning meaning_of(const BenchmarkPlan& plan, Metric metric) {
    if (metric != Metric::reported_value) return {std::string(unit_of(metric)), {}};
    return {plan.samples.unit, plan.samples.direction};
}

SeriesId ensure_series(const Finished& f, const BenchmarkPlan& plan, Metric metric) {
    const auto find = [&] {
        return f.db.find<SeriesId>(
            "SELECT id FROM series WHERE project_id = ?1 AND benchmark = ?2 AND variant = ?3 "
            "AND machine_class_id = ?4 AND metric = ?5 AND definition = ?6",
            f.job.project,
            plan.benchmark,
            plan.variant,
            f.job.machine_class,
            metric,
            definition_of(metric));
    };
    if (const auto found = find()) return *found;
    const auto meaning = meaning_of(plan, metric);
    f.db.execute(
        "INSERT INTO series(project_id, benchmark, variant, machine_class_id, metric, "
        "definition, unit, direction) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        f.job.project,
        plan.benchmark,
        plan.variant,
        f.job.machine_class,
        metric,
        definition_of(metric),
        meaning.unit,
        meaning.direction);
    return SeriesId{f.db.last_insert_id()};
}

// Runs that measure in turns see the same moments, so the mean over them compares best: where the
// machine was slow for half of the time, a median would fall on either side.
double typical(const BenchmarkPlan& plan, Metric metric, const SampleFigures& figures) {
    const bool in_turns = plan.interleave > 1 && kind_of(metric) == MetricKind::time;
    return in_turns ? figures.trimmed_mean : figures.median;
}

// Only what can be judged enters the series; the rest stands beside it.
void write_measurement(
    const Finished& f,
    RunId run,
    const BenchmarkPlan& plan,
    const Samples& samples,
    const SampleFigures& figures) {
    std::vector<std::byte> bytes(samples.values.size() * sizeof(double));
    static_assert(std::endian::native == std::endian::little, "blobs are little-endian");
    std::memcpy(bytes.data(), samples.values.data(), bytes.size());
    const auto series = ensure_series(f, plan, samples.metric);
    const auto count = static_cast<std::int64_t>(samples.values.size());
    const double value = typical(plan, samples.metric, figures);
    if (const auto why = why_unjudged(value, figures.spread)) {
        f.db.execute(
            "INSERT INTO unjudged_measurement(run_id, series_id, reason, count, samples) "
            "VALUES (?1, ?2, ?3, ?4, ?5)",
            run,
            series,
            *why,
            count,
            Blob(bytes));
        return;
    }
    f.db.execute(
        "INSERT INTO measurement(run_id, series_id, median, spread, count, samples) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        run,
        series,
        value,
        figures.spread,
        count,
        Blob(bytes));
}

void write_run(const Finished& f, std::size_t number, std::optional<std::int64_t> environment) {
    const auto& run = f.result.runs.at(number);
    const auto& step = f.plan.steps.at(static_cast<std::size_t>(run.step));
    const auto& plan = f.plan.benchmarks.at(static_cast<std::size_t>(step.benchmark));
    f.db.execute(
        "INSERT INTO run(job_id, attempt, step, build_id, benchmark, variant, "
        "machine_class_id, worker_id, environment_id, outcome, message, log_digest, "
        "started_at_ns, duration_ns) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)",
        f.job.id,
        f.job.attempt,
        run.step,
        f.builds.at(static_cast<std::size_t>(step.build)),
        plan.benchmark,
        plan.variant,
        f.job.machine_class,
        f.worker,
        environment,
        run.outcome,
        run.message,
        run.log,
        run.started_at_ns,
        run.duration_ns);
    const RunId id{f.db.last_insert_id()};
    const auto& figures = f.figures.at(number);
    for (std::size_t i = 0; i < run.samples.size(); ++i) {
        write_measurement(f, id, plan, run.samples[i], figures.at(i));
    }
}

void write_end(const Finished& f, const Digest& digest, std::optional<std::int64_t> before) {
    const auto after = environment_id(f.db, f.result.after);
    const nlohmann::json readings = {
        {"before", f.result.before.readings}, {"after", f.result.after.readings}};
    f.db.execute(
        "UPDATE attempt SET outcome = 'done', ended_at_s = ?3, result_digest = ?4, "
        "environment_before_id = ?5, environment_after_id = ?6, load = ?7 "
        "WHERE job_id = ?1 AND number = ?2",
        f.job.id,
        f.job.attempt,
        f.now_s,
        digest,
        before,
        after,
        readings.dump());
    f.db.execute(
        "UPDATE job SET state = 'done', ended_at_s = ?2, lease_expires_at_s = NULL, "
        "progress = '' WHERE id = ?1",
        f.job.id,
        f.now_s);
    record_event(
        f.db,
        f.now_s,
        "job.done",
        f.job.project,
        "job/" + to_string(f.job.id),
        std::to_string(f.result.runs.size()) + " runs");
}

// A result that comes again, or too late. @return whether there is nothing left to do
bool is_settled(
    Database& db, const JobRow& job, int attempt, WorkerId worker, const Digest& digest) {
    const auto taken = db.find<Digest>(
        "SELECT result_digest FROM attempt WHERE job_id = ?1 AND number = ?2 "
        "AND worker_id = ?3",
        job.id,
        attempt,
        worker);
    return taken && *taken == digest;
}

bool is_stale(const JobRow& job, int attempt, WorkerId worker) {
    return job.state != JobState::leased || job.attempt != attempt || job.worker != worker;
}

void record_stale(Database& db, const JobRow& job, int attempt, std::int64_t now_s) {
    db.execute(
        "UPDATE attempt SET stale_results = stale_results + 1 WHERE job_id = ?1 AND number = ?2",
        job.id,
        attempt);
    record_event(
        db,
        now_s,
        "job.stale_result",
        job.project,
        "job/" + to_string(job.id),
        "a result of attempt " + std::to_string(attempt) + " came when the job was " +
            std::string(to_string(job.state)) + " at attempt " + std::to_string(job.attempt));
}

// Ids begin anew in a new ledger, and go back in a restored one: only the key tells whose they are.
bool is_foreign(Database& db, JobId job, int attempt, const std::string& key) {
    if (key.empty()) return false;
    const auto ours = db.find<std::string>(
        "SELECT key FROM attempt WHERE job_id = ?1 AND number = ?2", job, attempt);
    return ours != key;
}

void take_failure(
    Database& db,
    const JobConfig& rules,
    const JobRow& job,
    WorkerId worker,
    const JobResult& result,
    std::int64_t now_s) {
    const int others = db.find<int>(
                             "SELECT COUNT(DISTINCT worker_id) FROM attempt WHERE job_id = ?1 "
                             "AND outcome = 'released' AND worker_id <> ?2",
                             job.id,
                             worker)
                           .value_or(0);
    if (!blames_worker(result.fault, others)) {
        return lose_attempt(db, rules, job, "failed", result.failure, now_s);
    }
    give_back(db, job, result.failure, now_s);
    hold_worker(
        db,
        worker,
        "it failed before anything of job " + to_string(job.id) + " ran: " + result.failure,
        now_s);
}

}  // namespace

Taking finish_job(
    Database& db,
    const JobConfig& rules,
    JobId job,
    int attempt,
    WorkerId worker,
    const JobResult& result,
    std::int64_t now_s) {
    return finish_job(db, rules, job, attempt, worker, write_result(result), now_s);
}

Taking finish_job(
    Database& db,
    const JobConfig& rules,
    JobId id,
    int attempt,
    WorkerId worker,
    const WrittenResult& written,
    std::int64_t now_s) {
    const auto& [result, digest, figures] = written;
    const auto job = load_job_row(db, id);
    if (is_foreign(db, id, attempt, result.key)) {
        record_event(
            db,
            now_s,
            "job.foreign_result",
            job.project,
            "job/" + to_string(id),
            "a result of attempt " + std::to_string(attempt) + " is of another ledger's job");
        return Taking::foreign;
    }
    if (is_settled(db, job, attempt, worker, digest)) return Taking::again;
    if (is_stale(job, attempt, worker)) {
        record_stale(db, job, attempt, now_s);
        return Taking::stale;
    }
    if (!result.failure.empty()) {
        take_failure(db, rules, job, worker, result, now_s);
        db.execute(
            "UPDATE attempt SET result_digest = ?3 WHERE job_id = ?1 AND number = ?2",
            id,
            attempt,
            digest);
        return Taking::taken;
    }
    auto plan = wire::parse_job_plan(wire::parse_json(
        *db.find<std::string>("SELECT plan FROM job WHERE id = ?1", id), "job.plan"));
    const Finished finished{
        db,
        job,
        worker,
        result,
        figures,
        std::move(plan),
        load_job_builds(db, id),
        *db.find<std::string>(
            "SELECT recipe_digest FROM attempt WHERE job_id = ?1 AND number = ?2", id, attempt),
        *db.find<std::string>("SELECT toolchain FROM worker WHERE id = ?1", worker),
        now_s};
    wire::check_result(result, finished.plan, finished.builds);
    for (const auto& build : result.builds) {
        build.built ? write_built(finished, build) : write_failed(finished, build);
    }
    const auto environment = environment_id(db, result.before);
    for (std::size_t i = 0; i < result.runs.size(); ++i) write_run(finished, i, environment);
    write_end(finished, digest, environment);
    return Taking::taken;
}

}  // namespace vigil::service
