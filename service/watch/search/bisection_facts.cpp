#include "service/watch/search/bisection_facts.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "service/store/findings/bisections.hpp"
#include "service/store/series/values.hpp"
#include "service/store/work/builds.hpp"
#include "service/store/work/cases.hpp"
#include "service/store/work/jobs.hpp"
#include "service/store/work/runs.hpp"
#include "service/watch/search/prior.hpp"

namespace vigil::service {

namespace {

constexpr int never_builds = 99;  // failures of a commit whose source cannot be had

search::Problem problem_of(const BisectionSettings& settings, const std::vector<SuspectRow>& rows) {
    std::vector<WeighedCommit> line;
    for (const auto& suspect : rows) line.push_back({suspect.revision, suspect.commits});
    search::Problem problem;
    problem.suspects = static_cast<int>(line.size()) - 1;
    problem.series = settings.specs;
    problem.budget = settings.budget;
    problem.costs = settings.costs;
    problem.workers = settings.workers;
    problem.hurries = true;
    for (const auto& suspect : rows) problem.names.push_back(suspect.revision.brief());
    problem.weights = weigh_commits(line, settings.nights, settings.named);
    return problem;
}

class Teller {
  public:
    Teller(Database& db, const BisectionRow& bisection, search::Driver& driver)
        : db_(db),
          bisection_(bisection),
          driver_(driver),
          alone_(list_cases_alone(db, bisection.settings)) {
        for (const auto id : bisection.settings.series) {
            const auto& series = series_.emplace_back(load_series(db, id));
            const bool is_wall = series.metric == Metric::wall_time_ns;
            cpu_.push_back(
                is_wall ? find_series(
                              db,
                              series.project,
                              variant_of(series),
                              series.case_name,
                              Metric::cpu_time_ns)
                        : std::nullopt);
        }
    }

    void tell_builds(const std::vector<SuspectRow>& suspects) {
        for (int i = 0; i < static_cast<int>(suspects.size()); ++i) {
            const auto build = suspects[static_cast<std::size_t>(i)].build;
            if (!build) continue;
            commit_of_.emplace(*build, i);
            const auto facts = load_build_facts(db_, *build);
            const int failures = facts.no_input ? never_builds : facts.failures;
            if (failures > 0) driver_.add(search::BuildFailed{i, failures});
            if (!facts.built) continue;
            driver_.add(search::Built{i, find_product_name(db_, *build).value_or("")});
        }
    }

    // Confirmation's A/B runs come first: nothing is measured twice.
    void tell_sessions() {
        int number = -1;
        for (const auto session : bisection_.settings.sessions) {
            int position = 0;
            for (const auto job : list_done_jobs(db_, session)) tell_runs(job, number, position);
            --number;
        }
    }

    void tell_probes() {
        for (auto& probe : list_probes(db_, bisection_.id)) {
            driver_.add(search::Planned{std::move(probe.plan)});
            if (probe.is_open) continue;
            int runs = 0;
            if (probe.job) tell_runs(*probe.job, probe.number, runs);
            driver_.add(search::ProbeEnded{probe.number, probe.job && runs == 0, probe.machine});
        }
    }

  private:
    /// @param position  of the next run; goes on behind the last one
    void tell_runs(JobId job, int probe, int& position) {
        for (const auto& run : list_measured_runs(db_, job)) {
            const auto commit = commit_of_.find(run.build);
            const int now = position++;
            if (commit == commit_of_.end()) continue;
            bool counts = false, has_value = false, is_of_case = false;
            for (int i = 0; i < static_cast<int>(series_.size()); ++i) {
                if (!is_of(run, i)) continue;
                counts = true;
                is_of_case = is_of_case || !series_[std::size_t(i)].case_name.empty();
                const auto value = value_of(run, i);
                if (!value) continue;
                has_value = true;
                driver_.add(
                    search::Ran{probe, now, commit->second, i, *value, -1, share_of(run, i)});
            }
            // A commit that has none of the cases cannot be judged by them. A run of a case alone,
            // where its program runs whole now, says nothing.
            const bool failed = !run.passed || (is_of_case && !has_value);
            if (counts && failed) driver_.add(search::RunFailed{probe, now, commit->second});
        }
    }

    /// Whether it ran what the series is searched by: its program whole, or its case alone.
    bool is_of(const MeasuredRun& run, int index) const {
        const auto at = static_cast<std::size_t>(index);
        return run.variant == variant_of(series_[at]) && run.case_name == alone_[at];
    }

    /// @param run  is_of
    std::optional<double> value_of(const MeasuredRun& run, int index) const {
        const auto& series = series_[static_cast<std::size_t>(index)];
        // A variant that no longer runs is searched by that alone, as if it were a number.
        if (is_by_outcome(bisection_.settings, index)) {
            const bool fails = !run.passed || run.failed_cases.contains(series.case_name);
            return fails ? 2.0 : 1.0;
        }
        const auto value = run.values.find(series.id);
        const bool gave = run.passed && value != run.values.end();
        return gave ? std::optional(value->second) : std::nullopt;
    }

    /// How much of a run's wall time it had a processor for; 0: not known.
    double share_of(const MeasuredRun& run, int index) const {
        const auto cpu = cpu_[static_cast<std::size_t>(index)];
        const auto wall = run.values.find(series_[static_cast<std::size_t>(index)].id);
        if (!cpu || wall == run.values.end() || !(wall->second > 0)) return 0;
        const auto time = run.values.find(*cpu);
        return time == run.values.end() ? 0 : time->second / wall->second;
    }

    Database& db_;
    const BisectionRow& bisection_;
    search::Driver& driver_;
    std::vector<std::string> alone_;            ///< by series: the case that runs alone; or empty
    std::vector<SeriesRow> series_;             ///< in the order of the search's indices
    std::vector<std::optional<SeriesId>> cpu_;  ///< of the same variant, where it is wall time
    std::map<BuildId, int> commit_of_;
};

}  // namespace

bool is_by_outcome(const BisectionSettings& settings, int series) {
    const auto& all = settings.by_outcome;
    return std::find(all.begin(), all.end(), series) != all.end();
}

std::vector<std::string> list_cases_alone(Database& db, const BisectionSettings& settings) {
    std::vector<std::string> alone(settings.series.size());
    for (const int index : settings.alone) {
        const auto at = static_cast<std::size_t>(index);
        const auto series = load_series(db, settings.series.at(at));
        if (!has_whole_case(db, series)) alone.at(at) = series.case_name;
    }
    return alone;
}

ReadBisection read_bisection(Database& db, const BisectionRow& bisection) {
    const auto suspects = list_suspects(db, bisection.id);
    ReadBisection read{problem_of(bisection.settings, suspects), {}};
    read.driver = search::Driver(read.problem.suspects);
    Teller teller(db, bisection, read.driver);
    teller.tell_builds(suspects);
    teller.tell_sessions();
    teller.tell_probes();
    return read;
}

}  // namespace vigil::service
