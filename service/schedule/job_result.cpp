#include "service/schedule/job_result.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bisect/stats/summary.hpp"
#include "schema/wire/digest.hpp"
#include "schema/wire/job_json.hpp"
#include "schema/wire/run_fact_json.hpp"
#include "service/schedule/build_jobs.hpp"
#include "service/schedule/job_rules.hpp"
#include "service/schedule/judgeable.hpp"
#include "service/schedule/leases.hpp"
#include "service/schedule/run_notes.hpp"
#include "service/store/events.hpp"
#include "service/store/series/series.hpp"
#include "service/store/work/builds.hpp"
#include "service/store/work/cases.hpp"
#include "service/store/work/profiled_steps.hpp"
#include "service/store/work/runs.hpp"

namespace vigil::service {

namespace {

SampleFigures figures_of(const Samples& samples) {
    constexpr double outliers = 0.1;
    const bool is_time = kind_of(samples.metric) == MetricKind::time;
    return {
        stats::median(samples.values),
        is_time ? stats::trimmed_mean(samples.values, outliers) : 0,
        stats::spread(samples.values)};
}

/// A result that is taken, with what it stands on.
struct Finished {
    Database& db;
    const JobRow& job;
    const WrittenResult& written;
    JobPlan plan;
    std::vector<BuildId> builds;
    Digest recipe;
    std::string toolchain;
    std::int64_t now_s;
};

void record_build(
    const Finished& f, BuildId build, std::string_view kind, const std::string& message) {
    record_event(f.db, f.now_s, kind, f.job.project, "build/" + to_string(build), message);
}

// The first product of a key stays; another digest later means the build is not reproducible, which
// is worth knowing and changes nothing.
void write_build(const Finished& f, BuildOutcome build) {
    const ProductKey key{build.id, f.recipe, f.toolchain};
    if (!build.built) {
        const auto notes = find_source_notes(f.db, build.id);
        if (!notes.empty()) build.message += "; of its source tree: " + notes;
        note_failed_product(f.db, key, build, f.now_s);
        return record_build(f, build.id, "build.failed", build.message);
    }
    const auto before = find_product(f.db, key);
    if (!before) return note_product(f.db, key, build, f.now_s);
    if (*before == *build.product) return;
    record_build(
        f,
        build.id,
        "product.differs",
        "built again as " + build.product->brief() + ", not " + before->brief() +
            ": the build is not reproducible");
}

// What says which way it is better; nullopt: nothing does.
std::optional<Direction> told_of(const BenchmarkPlan& plan, const Samples& samples) {
    if (samples.metric != Metric::reported_value) return Direction::lower_is_better;
    return samples.case_name.empty() ? plan.samples.direction : samples.direction;
}

SeriesId series_of(const Finished& f, const BenchmarkPlan& plan, const Samples& samples) {
    const bool own_unit = samples.metric == Metric::reported_value;
    const auto& unit = samples.case_name.empty() ? plan.samples.unit : samples.unit;
    return ensure_series(
        f.db,
        {.project = f.job.project,
         .benchmark = plan.benchmark,
         .variant = plan.variant,
         .machine_class = f.job.machine_class,
         .metric = samples.metric,
         .unit = own_unit ? unit : std::string(unit_of(samples.metric)),
         .told = told_of(plan, samples),
         .case_name = samples.case_name,
         .quantity = samples.quantity});
}

// Runs that measure in turns see the same moments, so the mean over them compares best: where the
// machine was slow for half of the time, a median would fall on either side.
double typical(const BenchmarkPlan& plan, Metric metric, const SampleFigures& figures) {
    const bool in_turns = plan.interleave > 1 && kind_of(metric) == MetricKind::time;
    return in_turns ? figures.trimmed_mean : figures.median;
}

/// The batch that this run searched and took; nullopt: it was told one.
std::optional<std::int64_t> searched_batch(const RunOutcome& run) {
    for (const auto& fact : run.facts) {
        if (fact.name == "batch_search.chosen" && fact.value.value_or(0) >= 1) {
            return static_cast<std::int64_t>(*fact.value);
        }
    }
    return std::nullopt;
}

/// A level must not move with the choice of a batch: the first choice stands for the variant, and
/// another one is no value of its series.
/// @return  why the run is not judged; empty: it is
std::string why_other_batch(
    const Finished& f, const BenchmarkPlan& plan, const RunOutcome& outcome, RunId run) {
    const auto batch = searched_batch(outcome);
    if (!batch || outcome.outcome != Outcome::passed) return "";
    const ClassVariant variant{plan.benchmark, plan.variant, f.job.machine_class};
    const auto counts = keep_chosen_batch(f.db, f.job.project, variant, *batch, run);
    if (counts == *batch) return "";
    return "it chose batch " + std::to_string(*batch) + ", and the series is of batch " +
           std::to_string(counts);
}

/// A slower program of that kind repeats less, so that its process takes the same time.
/// @return  why times of the process are not judged; empty: they are
std::string why_no_process_time(const BenchmarkPlan& plan, const RunOutcome& outcome) {
    if (plan.samples.format != SampleFormat::none) return "";
    for (const auto& fact : outcome.facts) {
        if (fact.name != wire::sizes_itself) continue;
        return fmt::format(
            "the time of the whole process says nothing: it is of a program that sizes its own "
            "loop ({}); give the benchmark \"samples\": {{\"format\": \"harness\"}}, with "
            "\"select\" "
            "where it prints several",
            fact.text);
    }
    return "";
}

// Only what can be judged enters the series; the rest stands beside it.
void write_measurement(
    const Finished& f,
    RunId run,
    const std::string& why_not,
    const BenchmarkPlan& plan,
    const Samples& samples,
    const SampleFigures& figures) {
    const NewMeasurement measurement{
        .run = run,
        .series = series_of(f, plan, samples),
        .value = typical(plan, samples.metric, figures),
        .spread = figures.spread};
    const auto why =
        why_not.empty()
            ? why_unjudged(
                  measurement.value,
                  measurement.spread,
                  may_be_zero(
                      samples.metric, told_of(plan, samples).value_or(Direction::lower_is_better)))
            : std::optional(why_not);
    if (why) {
        add_unjudged_measurement(f.db, measurement, samples.values, *why);
    } else {
        add_measurement(f.db, measurement, samples.values);
    }
}

void write_run(const Finished& f, std::size_t number, std::optional<EnvironmentId> environment) {
    const auto& run = f.written.result.runs.at(number);
    const auto& step = f.plan.steps.at(static_cast<std::size_t>(run.step));
    const auto& plan = f.plan.benchmarks.at(static_cast<std::size_t>(step.benchmark));
    if (plan.profiled) return add_profiled_step(f.db, f.job.id, run);  // no run: nothing measured
    const RunSubject subject{
        f.builds.at(static_cast<std::size_t>(step.build)),
        plan.benchmark,
        plan.variant,
        environment,
        plan.cases ? plan.cases->only : ""};
    const auto id = add_run(f.db, f.job, subject, run);
    add_run_facts(f.db, id, run.facts);
    add_case_failures(f.db, id, run.case_failures);
    tell_of_run({f.db, f.job, plan, run, id, f.now_s});
    const std::string why_not = why_other_batch(f, plan, run, id);
    const std::string why_no_time = why_no_process_time(plan, run);
    const auto& figures = f.written.figures.at(number);
    for (std::size_t i = 0; i < run.samples.size(); ++i) {
        const auto kind = kind_of(run.samples[i].metric);
        const bool is_of_loop = kind == MetricKind::time || kind == MetricKind::count;
        const auto& why = why_not.empty() && is_of_loop ? why_no_time : why_not;
        write_measurement(f, id, why, plan, run.samples[i], figures.at(i));
    }
}

// What a worker says of its own time; the ledger counts no more than its attempt took.
std::int64_t build_s(const JobResult& result) {
    double duration_ns = 0;
    for (const auto& build : result.builds) duration_ns += static_cast<double>(build.duration_ns);
    constexpr double most_s = 1e9;
    return static_cast<std::int64_t>(std::clamp(duration_ns / 1e9, 0.0, most_s));
}

void write_end(const Finished& f, std::optional<EnvironmentId> before) {
    const auto& result = f.written.result;
    const nlohmann::json readings = {
        {"before", result.before.readings}, {"after", result.after.readings}};
    end_attempt(
        f.db,
        f.job,
        {.outcome = AttemptOutcome::done,
         .result = f.written.digest,
         .before = before,
         .after = ensure_environment(f.db, result.after.facts),
         .readings = readings.dump(),
         .build_s = build_s(result)},
        f.now_s);
    move_job(f.db, f.job, {.to = JobState::done, .ended_at_s = f.now_s});
    record_job(f.db, f.job, "job.done", std::to_string(result.runs.size()) + " runs", f.now_s);
}

void write_all(const Finished& f) {
    const auto& result = f.written.result;
    for (const auto& build : result.builds) write_build(f, build);
    const auto environment = ensure_environment(f.db, result.before.facts);
    for (std::size_t i = 0; i < result.runs.size(); ++i) write_run(f, i, environment);
    write_end(f, environment);
}

void take_failure(
    Database& db,
    const JobConfig& rules,
    const JobRow& job,
    const WrittenResult& written,
    std::int64_t now_s) {
    const auto& failure = written.result.failure;
    const auto worker = job.worker.value();
    auto others = workers_of(list_attempts(db, job.id), {AttemptOutcome::released});
    others.erase(worker);
    AttemptEnd end{.message = failure, .result = written.digest};
    if (!blames_worker(written.result.fault, static_cast<int>(others.size()))) {
        end.outcome = AttemptOutcome::failed;
        return lose_attempt(db, rules, job, end, now_s);
    }
    end.outcome = AttemptOutcome::released;
    give_back(db, job, end, now_s);
    hold_worker(
        db,
        worker,
        "it failed before anything of job " + to_string(job.id) + " ran: " + failure,
        now_s);
}

// Ids begin anew in a new ledger, and go back in a restored one: only the key tells whose they are.
bool is_foreign(const std::optional<AttemptRow>& attempt, const std::string& key) {
    return !key.empty() && (!attempt || attempt->key != key);
}

bool is_stale(const JobRow& job, int attempt, WorkerId worker) {
    return job.state != JobState::leased || job.attempt != attempt || job.worker != worker;
}

// What failed before on the class that builds: nothing is run of it.
std::vector<BuildId> list_unbuildable(const Finished& f) {
    std::vector<BuildId> builds;
    for (const auto build : f.builds) {
        if (is_unbuildable(f.db, build, f.recipe, f.toolchain)) builds.push_back(build);
    }
    return builds;
}

}  // namespace

Taking finish_job(
    Database& db,
    const JobConfig& rules,
    JobId id,
    int number,
    WorkerId worker,
    const WrittenResult& written,
    std::int64_t now_s) {
    const auto& result = written.result;
    const auto job = load_job(db, id);
    const auto attempt = find_attempt(db, id, number);
    const auto named = "a result of attempt " + std::to_string(number);
    if (is_foreign(attempt, result.key)) {
        record_job(db, job, "job.foreign_result", named + " is of another ledger's job", now_s);
        return Taking::foreign;
    }
    if (attempt && attempt->worker == worker && attempt->result == written.digest) {
        return Taking::again;
    }
    if (is_stale(job, number, worker)) {
        note_stale_result(db, id, number);
        record_job(
            db,
            job,
            "job.stale_result",
            named + " came when the job was " + std::string(to_string(job.state)) + " at attempt " +
                std::to_string(job.attempt),
            now_s);
        return Taking::stale;
    }
    if (!result.failure.empty()) {
        take_failure(db, rules, job, written, now_s);
        return Taking::taken;
    }
    const Finished finished{
        .db = db,
        .job = job,
        .written = written,
        .plan = load_plan(db, id),
        .builds = list_job_builds(db, id),
        .recipe = attempt.value().recipe,
        .toolchain = find_claimer(db, worker).value().toolchain,
        .now_s = now_s};
    wire::check_result(result, finished.plan, finished.builds, list_unbuildable(finished));
    if (!written.missing.empty()) {
        const auto digest = written.missing.front().str();
        throw Error(
            Errc::conflict,
            "the result of job " + to_string(id) + " names the product " + digest +
                ", which was never put here: put it (PUT /api/v1/content/" + digest +
                "?kind=product), then send the result again");
    }
    write_all(finished);
    return Taking::taken;
}

WrittenResult write_result(JobResult result) {
    WrittenResult written;
    written.digest = wire::sha256(wire::to_json(result).dump());
    for (const auto& run : result.runs) {
        auto& figures = written.figures.emplace_back();
        for (const auto& samples : run.samples) figures.push_back(figures_of(samples));
    }
    written.result = std::move(result);
    return written;
}

}  // namespace vigil::service
