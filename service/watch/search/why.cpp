#include "service/watch/search/why.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "schema/model/case_run.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/store/alone.hpp"
#include "service/store/findings/bisections.hpp"
#include "service/store/findings/regressions.hpp"
#include "service/store/findings/reported_searches.hpp"
#include "service/store/findings/whys.hpp"
#include "service/store/ids.hpp"
#include "service/store/series/series.hpp"
#include "service/store/work/jobs.hpp"
#include "service/store/workers.hpp"
#include "service/watch/search/bisection_facts.hpp"
#include "service/watch/series/benchmarks.hpp"

namespace vigil::service {

namespace {

constexpr int most_at_once = 20;
constexpr std::int64_t day_s = 86'400;
constexpr std::int64_t wait_for_others_s = 5;  // a worker that has nothing to do may take it
constexpr int most_interruptions = 1;

bool is_of_program(const WhyCandidate& one) {
    return one.kind == BenchmarkKind::command || one.kind == BenchmarkKind::torch;
}

bool is_of_memory(const WhyCandidate& one) {
    return is_of_program(one) && kind_of(one.metric) == MetricKind::memory;
}

/// By what it can be profiled; nothing: it has nothing to count.
std::optional<Profiler> profiler_for(const WhyCandidate& one) {
    if (!is_of_program(one) || one.by_outcome || one.metric == Metric::peak_gpu_bytes) {
        return std::nullopt;
    }
    return is_of_memory(one) ? Profiler::dhat : Profiler::callgrind;
}

/// A series that the search verified, with the probe that did.
struct Verified {
    int index = 0;  ///< among the bisection's series
    WhyCandidate candidate;
    BenchmarkPlan plan;
    double change_ratio = 0;
};

/// One culprit, as its job is asked for.
class Asking {
  public:
    Asking(
        Database& db,
        const ProjectConfig& config,
        const RegressionWhy& why,
        const RegressionRow& regression,
        std::int64_t now_s)
        : db_(db),
          config_(config),
          why_(why),
          regression_(regression),
          bisection_(load_bisection(db, regression.bisection.value())),
          now_s_(now_s) {}

    /// @return  why nothing is asked for; empty: its job is
    std::string ask() {
        const auto suspects = list_suspects(db_, bisection_.id);
        const auto found = std::ranges::find(suspects, why_.culprit, &SuspectRow::revision);
        if (found == suspects.end() || found == suspects.begin()) {
            return "the search that named the culprit does not hold it any more";
        }
        culprit_ = static_cast<int>(found - suspects.begin());
        const auto verified = list_verified();
        std::vector<WhyCandidate> candidates;
        for (const auto& one : verified) candidates.push_back(one.candidate);
        const auto choice = choose_profiled(candidates);
        if (choice.series.empty()) return choice.why_none;
        const auto find = [&](SeriesId series) -> const Verified& {
            return *std::ranges::find(
                verified, series, [](const Verified& one) { return one.candidate.series; });
        };
        const auto machine = find_machine(find(choice.series.front().series).index);
        const auto worker = find_worker(db_, machine);
        if (!worker) return "no machine is known to have verified the culprit";
        const auto label = find_label(db_, *worker, profiler_label).value_or("");
        NewJob job;
        std::optional<SeriesId> first;
        for (const auto& [series, profilers] : choice.series) {
            for (const auto profiler : profilers) {
                if (!profiles_by(label, profiler)) continue;
                add_steps(job.plan, find(series).plan, profiler);
                if (!first) first = series;
            }
        }
        if (!first) {
            return fmt::format(
                "worker {}, which verified the culprit, cannot profile: it has no valgrind, or is "
                "older than the daemon. Run apt-get install valgrind linux-perf there, start its "
                "vigil-worker again, then run: vigil regression why {}",
                machine,
                why_.regression.value);
        }
        begin(std::move(job), *first, *worker);
        return "";
    }

  private:
    std::vector<Verified> list_verified() {
        std::vector<Verified> all;
        const auto alone = list_cases_alone(db_, bisection_.settings);
        const auto& series = bisection_.settings.series;
        for (const auto& held : list_held_series(db_, why_.regression)) {
            const auto at = std::ranges::find(series, held.series);
            const auto change = find_change(db_, why_.regression, held.series);
            if (at == series.end() || !change) continue;
            const auto row = load_series(db_, held.series);
            Verified one;
            one.index = static_cast<int>(at - series.begin());
            one.plan = find_benchmark(db_, config_, bisection_.project, variant_of(row));
            const auto& only = alone.at(static_cast<std::size_t>(one.index));
            if (!only.empty()) one.plan = of_case(std::move(one.plan), only);
            const auto& measured =
                change->verified.runs_after > 0 ? change->verified : change->confirmed;
            one.candidate = {
                held.series,
                row.metric,
                one.plan.kind,
                change->by_outcome,
                measured.change_ratio,
                row.machine_class};
            all.push_back(std::move(one));
        }
        return all;
    }

    /// The worker that verified the culprit last by this series, by its name.
    std::string find_machine(int series) {
        std::string machine;
        for (const auto& probe : list_probes(db_, bisection_.id)) {
            const auto& plan = probe.plan;
            const bool verifies = plan.purpose == search::ProbePurpose::verify &&
                                  std::ranges::count(plan.commits, culprit_) > 0 &&
                                  std::ranges::count(plan.series, series) > 0;
            if (verifies && !probe.machine.empty()) machine = probe.machine;
        }
        return machine;
    }

    /// Position of the commit that the culprit was verified against.
    int parent() {
        const auto records = find_search_records(db_, bisection_.id);
        if (!records) return culprit_ - 1;
        for (const auto& ending : records->conclusion.endings) {
            const bool is_its = ending.ending == search::Ending::culprit &&
                                ending.first == culprit_ && ending.parent < culprit_;
            if (is_its) return ending.parent;
        }
        return culprit_ - 1;
    }

    /// The parent's and the culprit's, in this order.
    void add_steps(JobPlan& plan, const BenchmarkPlan& benchmark, Profiler profiler) const {
        const auto number = static_cast<int>(plan.benchmarks.size());
        plan.benchmarks.push_back(profiled_plan(benchmark, profiler, config_.why.timeout_s));
        plan.steps.push_back({0, number});
        plan.steps.push_back({1, number});
    }

    void begin(NewJob job, SeriesId series, WorkerId worker) {
        job.project = bisection_.project;
        job.machine_class = load_series(db_, series).machine_class;
        job.purpose = Purpose::verify;
        job.priority = Priority::why;
        job.only_worker = worker;
        job.builds = {
            ensure_suspect_build(db_, bisection_, parent(), now_s_),
            ensure_suspect_build(db_, bisection_, culprit_, now_s_)};
        const auto id = add_job(db_, job, now_s_);
        begin_why(db_, why_.regression, series, id, now_s_);
    }

    Database& db_;
    const ProjectConfig& config_;
    const RegressionWhy& why_;
    const RegressionRow& regression_;
    BisectionRow bisection_;
    int culprit_ = 0;
    std::int64_t now_s_;
};

void end(Database& db, const RegressionWhy& why, const WhyAnswer& answer, std::int64_t now_s) {
    end_why(db, why.regression, answer, now_s);
    touch_regression(db, why.regression, now_s);
}

/// Nobody waits for it: the regression is none, is another one's, or has another culprit.
bool is_unwanted(const RegressionWhy& why, const RegressionRow& regression) {
    const bool is_none = regression.ended_as == RegressionEnd::not_reproduced ||
                         regression.ended_as == RegressionEnd::joined;
    return is_none || !regression.bisection || regression.culprit != why.culprit;
}

void begin(Database& db, const Config& whole, const RegressionWhy& why, std::int64_t now_s) {
    const auto regression = load_regression(db, why.regression);
    const auto project = whole.projects.find(load_project_name(db, regression.project));
    if (project == whole.projects.end()) return;  // no longer watched: it waits
    const auto& rules = project->second.why;
    if (is_unwanted(why, regression) || rules.profiles_per_day == 0) {
        remove_why(db, why.regression);
        touch_regression(db, why.regression, now_s);  // its report says that it is asked
        return;
    }
    const auto today_s = now_s - now_s % day_s;
    const bool may = why.by_hand || why.interruptions > 0 ||
                     count_whys_since(db, regression.project, today_s) < rules.profiles_per_day;
    if (!may) return;
    const auto why_none = Asking(db, project->second, why, regression, now_s).ask();
    if (!why_none.empty()) end(db, why, {{}, why_none}, now_s);
}

/// What is measured waits for no profile.
void make_room(
    Database& db,
    const Config& config,
    const RegressionWhy& why,
    const JobRow& job,
    std::int64_t now_s) {
    const auto asked_s = now_s - wait_for_others_s;
    if (!has_work_above(db, config, job.worker.value(), Priority::why, asked_s, now_s)) return;
    cancel_job(db, job.id, now_s);
    if (why.interruptions < most_interruptions) return interrupt_why(db, why.regression);
    const auto words = fmt::format(
        "its worker had something to measure each of the {} times that it profiled; when the "
        "worker has nothing to do, run: vigil regression why {} --again",
        most_interruptions + 1,
        why.regression.value);
    end(db, why, {{}, words}, now_s);
}

double change_of(Database& db, RegressionId regression, SeriesId series) {
    const auto change = find_change(db, regression, series);
    if (!change) return 0;
    return change->verified.runs_after > 0 ? change->verified.change_ratio
                                           : change->confirmed.change_ratio;
}

/// By how much memory grew that is profiled beside another series.
double change_of_memory(Database& db, RegressionId regression) {
    double largest = 0;
    for (const auto& held : list_held_series(db, regression)) {
        if (kind_of(load_series(db, held.series).metric) != MetricKind::memory) continue;
        largest = std::max(largest, change_of(db, regression, held.series));
    }
    return largest;
}

void take(Database& db, const Config& config, const RegressionWhy& why, std::int64_t now_s) {
    const auto job = load_job(db, why.job.value());
    if (job.state == JobState::leased) return make_room(db, config, why, job, now_s);
    if (job.state != JobState::done) {
        const auto message = load_job_message(db, job.id);
        end(db,
            why,
            {{}, message.empty() ? "its job was " + std::string(to_string(job.state)) : message},
            now_s);
        return;
    }
    const auto steps = list_profiled_steps(db, job.id);
    const auto series = why.series.value();
    const auto first = kind_of(load_series(db, series).metric);
    std::vector<ProfiledBy> profiles;
    for (const auto& one : load_plan(db, job.id).benchmarks) {
        const auto profiler = one.profiler;
        // Operators come first of a series: later ones are those of the second, of memory.
        const bool is_late = profiler == Profiler::operators && !profiles.empty();
        const bool is_second =
            first != MetricKind::memory && (profiler == Profiler::dhat || is_late);
        profiles.push_back(
            {profiler,
             is_second ? MetricKind::memory : first,
             is_second ? change_of_memory(db, why.regression)
                       : change_of(db, why.regression, series)});
    }
    const auto touched = load_touched(db, why.regression);
    end(db, why, answer_of(steps, profiles, touched), now_s);
    remove_profiled_steps(db, job.id);
}

}  // namespace

WhyChoice choose_profiled(const std::vector<WhyCandidate>& candidates) {
    WhyChoice choice;
    const WhyCandidate* first = nullptr;
    for (const auto profiler : {Profiler::callgrind, Profiler::dhat}) {
        const WhyCandidate* best = nullptr;
        for (const auto& one : candidates) {
            const bool fits = profiler_for(one) == profiler &&
                              (first == nullptr || one.machine_class == first->machine_class);
            if (fits && (best == nullptr || one.change_ratio > best->change_ratio)) best = &one;
        }
        if (best == nullptr) continue;
        ProfiledSeries chosen{best->series, {}};
        if (best->kind == BenchmarkKind::torch) chosen.profilers.push_back(Profiler::operators);
        chosen.profilers.push_back(profiler);
        if (profiler == Profiler::callgrind) chosen.profilers.push_back(Profiler::perf);
        choice.series.push_back(std::move(chosen));
        first = choice.series.size() == 1 ? best : first;
    }
    if (!choice.series.empty()) return choice;
    if (candidates.empty()) {
        choice.why_none = "the search that named the culprit holds none of its series";
        return choice;
    }
    const auto all = [&](const auto& is) { return std::ranges::all_of(candidates, is); };
    choice.why_none =
        "none of its series is of a program that runs, so callgrind has nothing to count";
    if (all([](const WhyCandidate& one) { return one.by_outcome; })) {
        choice.why_none =
            "it no longer runs, so there is nothing to profile: see the log of its run";
    } else if (all([](const WhyCandidate& one) { return one.metric == Metric::peak_gpu_bytes; })) {
        choice.why_none = "only memory of the GPU grew, of which no profiler here tells who asks";
    }
    return choice;
}

bool profiles_by(std::string_view label, Profiler profiler) {
    while (!label.empty()) {
        const auto word = label.substr(0, label.find(' '));
        if (word == to_string(profiler)) return true;
        label.remove_prefix(std::min(word.size() + 1, label.size()));
    }
    return false;
}

BenchmarkPlan profiled_plan(BenchmarkPlan plan, Profiler profiler, int timeout_s) {
    plan.profiled = true;
    plan.profiler = profiler;
    plan.callgrind = false;
    plan.counts_instructions = false;
    plan.interleave = 1;
    plan.limits.wall_time_s = timeout_s;
    // Valgrind keeps a copy of all code that runs, and of what it counts.
    plan.limits.memory_bytes = 2 * plan.limits.memory_bytes + (std::int64_t{1} << 30);
    return plan;
}

bool ask_why_of(Database& db, RegressionId id, std::int64_t now_s) {
    const auto regression = load_regression(db, id);
    if (!regression.culprit || !regression.bisection || !has_verified(db, id)) return false;
    return ask_why(db, id, *regression.culprit, false, now_s);
}

void ask_why_by_hand(Database& db, const Config& config, RegressionId id, std::int64_t now_s) {
    const auto regression = load_regression(db, id);
    const auto name = "regression " + to_string(id);
    const auto project = config.projects.find(load_project_name(db, regression.project));
    if (project == config.projects.end()) {
        throw Error(Errc::conflict, name + " is of a project that is no longer in the config");
    }
    if (project->second.why.profiles_per_day == 0) {
        throw Error(
            Errc::conflict,
            "profiles are off in project " + project->first +
                ": its why.profiles_per_day is 0; set it, and reload");
    }
    if (!regression.culprit || !regression.bisection || !has_verified(db, id)) {
        throw Error(
            Errc::conflict, name + " has no verified culprit: there are no two builds to profile");
    }
    ask_why(db, id, *regression.culprit, true, now_s);
}

void advance_whys(Database& db, const Config& config, std::int64_t now_s) {
    for (const auto& why : list_open_whys(db, most_at_once)) {
        const auto trouble = try_alone(db, [&] {
            why.state == WhyState::waiting ? begin(db, config, why, now_s)
                                           : take(db, config, why, now_s);
        });
        if (trouble) end(db, why, {{}, "asking for it failed: " + *trouble}, now_s);
    }
}

}  // namespace vigil::service
