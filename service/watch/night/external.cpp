#include "service/watch/night/external.hpp"

#include <algorithm>
#include <set>
#include <span>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "schema/model/class_variant.hpp"
#include "schema/wire/digest.hpp"
#include "service/schedule/judgeable.hpp"
#include "service/schedule/leases.hpp"
#include "service/store/events.hpp"
#include "service/store/ids.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/store/series/records.hpp"
#include "service/store/work/builds.hpp"
#include "service/store/work/imports.hpp"
#include "service/store/work/jobs.hpp"
#include "service/store/work/runs.hpp"
#include "service/store/workers.hpp"

namespace vigil::service {

namespace {

constexpr std::int64_t second_ns = 1'000'000'000;

std::string day_of(std::int64_t time_s) {
    return fmt::format("{:%Y-%m-%d}", fmt::gmtime(static_cast<std::time_t>(time_s)));
}

NightlyRow add_night(Database& db, ProjectId project, const SentNight& sent, std::int64_t now_s) {
    const auto build = ensure_source_build(db, project, sent.revision, now_s);
    const NewNightly fresh{
        project, build, sent.version, day_of(sent.time_s), sent.revision, std::nullopt};
    const auto id = add_nightly_at(db, fresh, id_at(sent.time_s), now_s);
    const auto night = load_nightly(db, id);
    const auto words = fmt::format(
        "nightly {}: {} at revision {}, measured elsewhere",
        to_string(id),
        sent.version,
        sent.revision.brief());
    record_nightly_event(db, night, "nightly.new", words, now_s);
    return night;
}

/// A job that is under lease to the worker that stands for the machines.
JobRow begin_job(
    Database& db,
    const NightlyRow& night,
    const Digest& digest,
    WorkerId worker,
    MachineClassId machine_class,
    std::int64_t now_s) {
    NewJob job;
    job.project = night.project;
    job.machine_class = machine_class;
    job.nightly = night.id;
    job.only_worker = worker;
    job.builds = {night.build};
    const auto id = add_job(db, job, now_s);
    move_job(db, load_job(db, id), {.to = JobState::leased, .worker = worker});
    AttemptRow attempt;
    attempt.number = 1;
    attempt.worker = worker;
    attempt.recipe = digest;
    add_attempt(db, id, attempt, now_s);
    return load_job(db, id);
}

void end_job(
    Database& db, const JobRow& job, const Digest& digest, NightPart part, std::int64_t now_s) {
    end_attempt(db, job, {.outcome = AttemptOutcome::done, .result = digest}, now_s);
    move_job(db, job, {.to = JobState::done, .ended_at_s = now_s});
    record_job(db, job, "job.done", fmt::format("{} readings", part.end - part.begin), now_s);
}

/// A night of one part is known by its own digest.
Digest digest_of(const SentNight& sent, NightPart part) {
    if (part.end - part.begin == sent.readings.size()) return sent.digest;
    return wire::sha256(fmt::format("{} {} {}", sent.digest.str(), part.begin, part.end));
}

/// The answers in the order of what was asked.
std::vector<const SentRun*> in_order(const SentAnswer& sent, std::size_t asked) {
    std::vector<const SentRun*> answers(asked, nullptr);
    for (const auto& one : sent.runs) {
        const auto place = static_cast<std::size_t>(one.run);
        if (one.run < 0 || place >= asked || answers[place] != nullptr) {
            throw Error(
                Errc::invalid_argument,
                fmt::format("runs: {} runs were asked for, each is answered once", asked));
        }
        answers[place] = &one;
    }
    const auto missing = std::find(answers.begin(), answers.end(), nullptr);
    if (missing != answers.end()) {
        throw Error(
            Errc::invalid_argument,
            fmt::format(
                "runs: run {} is missing; say \"failure\" of one that did not pass",
                missing - answers.begin()));
    }
    return answers;
}

/// What a report holds of the variant that was asked for.
std::vector<const SentReading*> values_of(
    const std::vector<SentReading>& readings, const BenchmarkPlan& asked) {
    std::vector<const SentReading*> values;
    for (const auto& one : readings) {
        const bool wanted = one.benchmark == asked.benchmark && one.variant == asked.variant;
        if (wanted && !one.samples.empty()) values.push_back(&one);
    }
    return values;
}

/// What a failed reading is a failure of: its own variant, or where it is of a whole benchmark (of
/// the last one of its family) all that was measured of it the last time.
std::vector<ClassVariant> failed_variants(
    Database& db, const JobRow& job, const SentReading& failed) {
    const ClassVariant own{failed.benchmark, failed.variant, job.machine_class};
    const auto last = find_last_measured(db, job.project, own, failed.family);
    if (!last) return {own};
    std::vector<ClassVariant> variants{{last->benchmark, failed.variant, job.machine_class}};
    if (failed.variant.substr(0, failed.variant.find(" (")) != main_variant) return variants;
    for (const auto& variant : list_job_variants(db, last->job, last->benchmark)) {
        variants.push_back({last->benchmark, variant, job.machine_class});
    }
    return variants;
}

std::string why_no_value(const SentRun& run, const BenchmarkPlan& asked) {
    if (!run.failure.empty()) return run.failure;
    for (const auto& one : run.readings) {
        const bool wanted = one.benchmark == asked.benchmark && one.variant == asked.variant;
        if (wanted && !one.failure.empty()) return one.failure;
    }
    return fmt::format("its report has no value of {} {}", asked.benchmark, asked.variant);
}

}  // namespace

const SeriesForm& NightTaker::series_of(
    Database& db, ProjectId project, const SentReading& reading, MachineClassId machine_class) {
    const SeriesKey key{reading.benchmark, reading.variant, machine_class, reading.metric};
    if (const auto known = series_.find(key); known != series_.end()) return known->second;
    const NewSeries wanted{
        .project = project,
        .benchmark = reading.benchmark,
        .variant = reading.variant,
        .machine_class = machine_class,
        .metric = reading.metric,
        .unit = reading.unit,
        .told = reading.direction};
    if (const auto found = find_series_form(db, wanted)) {
        if (found->told != wanted.told) mark_reported(db, found->id, wanted.told);
        return series_[key] = *found;
    }
    if (!series_count_) series_count_ = count_series(db, project);
    if (*series_count_ >= max_sent_series) {
        throw Error(
            Errc::invalid_argument,
            fmt::format(
                "project {} has {} series already, and {} is a new one; no more are taken: names "
                "that change with every night (a time, a path, a number) make new series each time",
                config_.name,
                max_sent_series,
                reading.benchmark));
    }
    ++*series_count_;
    return series_[key] = add_series(db, wanted);
}

/// What rules say of it counts from its first value on, which may be of history.
SeriesForm NightTaker::add_series(Database& db, const NewSeries& wanted) {
    const auto id = ensure_series(db, wanted);
    const auto machine_class = load_machine_class_name(db, wanted.machine_class);
    const auto* rule = rules_.find(
        {.suite = {},
         .benchmark = wanted.benchmark,
         .variant = wanted.variant,
         .metric = to_string(wanted.metric),
         .machine_class = machine_class});
    if (rule != nullptr) note_settled(db, id, settle(wanted.told, rule));
    return {id, wanted.unit, wanted.told};
}

void NightTaker::write_value(
    Database& db, const JobRow& job, RunId run, const SentReading& reading) {
    const auto& series = series_of(db, job.project, reading, job.machine_class);
    const NewMeasurement measurement{run, series.id, reading.value, reading.spread};
    auto why = why_unjudged(
        reading.value,
        reading.spread,
        may_be_zero(reading.metric, reading.direction.value_or(Direction::lower_is_better)));
    if (series.unit != reading.unit) {
        why = fmt::format("it is in '{}', and its series in '{}'", reading.unit, series.unit);
    }
    if (why) {
        add_unjudged_measurement(db, measurement, reading.samples, *why);
    } else {
        add_measurement(db, measurement, reading.samples);
    }
}

void NightTaker::write(
    Database& db, const SentNight& sent, NightPart part, const JobRow& job, BuildId build) {
    const std::span readings = std::span(sent.readings).subspan(part.begin, part.end - part.begin);
    const auto environment = ensure_environment(db, sent.facts);
    RunOutcome run;
    run.outcome = Outcome::passed;
    run.started_at_ns = sent.time_s * second_ns;
    std::set<ClassVariant> told;
    for (const auto& reading : sent.readings) {
        if (!reading.samples.empty()) {
            told.insert({reading.benchmark, reading.variant, job.machine_class});
        }
    }
    for (const auto& reading : readings) {
        if (reading.samples.empty()) continue;
        const RunSubject subject{build, reading.benchmark, reading.variant, environment};
        const auto id = add_run(db, job, subject, run);
        ++run.step;
        write_value(db, job, id, reading);
    }
    run.outcome = Outcome::failed;
    for (const auto& reading : readings) {
        if (!reading.samples.empty()) continue;
        run.message = reading.failure;
        for (auto& failed : failed_variants(db, job, reading)) {
            if (!told.insert(failed).second) continue;
            add_run(db, job, {build, failed.benchmark, failed.variant, environment}, run);
            ++run.step;
        }
    }
}

int NightTaker::write(Database& db, const SentAnswer& sent, const JobRow& job, std::int64_t now_s) {
    const auto environment = ensure_environment(db, sent.facts);
    const auto plan = load_plan(db, job.id);
    const auto builds = list_job_builds(db, job.id);
    const auto& asked = plan.benchmarks.at(0);
    const auto answers = in_order(sent, plan.steps.size());
    int passed = 0;
    RunOutcome run;
    run.started_at_ns = now_s * second_ns;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const auto values = values_of(answers[i]->readings, asked);
        run.step = static_cast<int>(i);
        run.outcome = values.empty() ? Outcome::failed : Outcome::passed;
        run.message = values.empty() ? why_no_value(*answers[i], asked) : "";
        const auto build = builds.at(static_cast<std::size_t>(plan.steps[i].build));
        const auto id = add_run(db, job, {build, asked.benchmark, asked.variant, environment}, run);
        for (const auto* reading : values) write_value(db, job, id, *reading);
        passed += values.empty() ? 0 : 1;
    }
    return passed;
}

TakenAnswer NightTaker::answer(
    Database& db, const JobConfig& rules, JobId id, const SentAnswer& sent, std::int64_t now_s) {
    const auto job = load_job(db, id);
    const auto attempt = find_attempt(db, id, sent.attempt);
    if (attempt && attempt->result == sent.digest) return {.passed = 0, .is_again = true};
    if (!attempt || attempt->outcome || job.state != JobState::leased) {
        throw Error(
            Errc::conflict,
            fmt::format(
                "attempt {} of job {} is over, or never was; its answer is not taken",
                sent.attempt,
                to_string(id)));
    }
    if (!sent.failure.empty()) {
        const AttemptEnd lost{.outcome = AttemptOutcome::failed, .message = sent.failure};
        lose_attempt(db, rules, job, lost, now_s);
        return {};
    }
    const TakenAnswer taken{write(db, sent, job, now_s), false};
    end_attempt(db, job, {.outcome = AttemptOutcome::done, .result = sent.digest}, now_s);
    move_job(db, job, {.to = JobState::done, .ended_at_s = now_s});
    const auto words = fmt::format("{} of {} runs passed", taken.passed, sent.runs.size());
    record_job(db, job, "job.done", words, now_s);
    return taken;
}

TakenNight NightTaker::take(
    Database& db, const SentNight& sent, NightPart part, std::int64_t now_s) {
    const auto project = ensure_project(db, config_.name, now_s);
    const bool closes = sent.closes && part.end == sent.readings.size();
    const auto digest = digest_of(sent, part);
    auto before = find_import(db, project, sent.digest);
    if (!before) before = find_import(db, project, digest);
    if (before) {
        if (closes) close_imports(db, *before);
        const auto night = load_nightly(db, *before);
        return {night.id, night.name, night.state, true};
    }
    const auto known = find_sent_night(db, project, sent.revision, sent.version);
    const auto night = known ? *known : add_night(db, project, sent, now_s);
    const auto machine_class = ensure_machine_class(db, sent.machine_class);
    const auto worker = ensure_stand_in(db, project, machine_class, now_s);
    const auto job = begin_job(db, night, digest, worker, machine_class, now_s);
    write(db, sent, part, job, night.build);
    end_job(db, job, digest, part, now_s);
    add_import(db, {project, digest, night.id, job.id, closes, token_}, now_s);
    const bool is_open = night.state == NightlyState::measuring;
    const bool is_history = sent.is_history || find_night_after(db, project, night.id).has_value();
    if (!known && is_history) {
        move_nightly(db, night.id, NightlyState::done, "history: nothing is made of it", now_s);
        note_no_summary(db, night.id);
    }
    if (!is_open || (!known && is_history)) mark_stale(db, night.id, std::nullopt);
    return {night.id, night.name, load_nightly(db, night.id).state, false};
}

NightPart part_from(const SentNight& sent, std::size_t begin) {
    const auto& readings = sent.readings;
    auto end = std::min(begin + readings_at_once, readings.size());
    const auto most = std::min(begin + 2 * readings_at_once, readings.size());
    while (end < most && readings[end].benchmark == readings[end - 1].benchmark) ++end;
    return {begin, end};
}

}  // namespace vigil::service
