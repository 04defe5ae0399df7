#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "bisect/search/search.hpp"

namespace vigil::search {

/// The truth about one series: at which commits it gets worse, by what ratio, and its noise.
struct SeriesTruth {
    int group = 0;
    MetricKind kind = MetricKind::time;
    Direction direction = Direction::lower_is_better;
    std::map<int, double> changes = {};  ///< commit -> ratio, e.g. 0.25
    double noise = 0.01;
    double outliers = 0;        ///< share of runs that take 30 % longer
    double session_offset = 0;  ///< spread of what a session shares
    double jitter = 0;          ///< spread of what a build's runs share
};

/// A day of commits that can be measured: plays the part of workers and ledger, with seeded noise.
class World {
  public:
    World(int suspects, std::vector<SeriesTruth> series, std::uint64_t seed)
        : truth_(std::move(series)), random_(seed) {
        problem.suspects = suspects;
        for (const SeriesTruth& t : truth_) {
            double net = 0;
            for (const auto& [commit, ratio] : t.changes) net += std::log1p(ratio);
            problem.series.push_back(
                {t.group, t.direction, t.kind, 0.07, std::max(std::expm1(net), 0.08)});
        }
        built_ = {0, suspects};
        jitters_.resize(truth_.size());
        for (std::size_t s = 0; s < truth_.size(); ++s) {
            for (int c = 0; c <= suspects; ++c) {
                jitters_[s].push_back(truth_[s].jitter * normal_(random_));
            }
        }
    }

    Problem problem;
    std::set<int> broken;     ///< commits that never build
    std::set<int> flaky;      ///< commits that build at the second try
    std::set<int> unchanged;  ///< commits whose product equals that of the one before
    std::set<int> crashing;   ///< commits that build and give no value
    /// Who makes probes, in turns; empty: nobody knows.
    std::vector<std::string> machines;
    std::set<std::string> away;          ///< machines that never come
    std::set<std::string> only_repeats;  ///< that come where another must not
    /// Machine, commit -> ratio: what a machine makes of the commits from there on.
    std::map<std::string, std::map<int, double>> changes_on;
    int runs = 0;  ///< processes, over all series
    int steps = 0;

    /// The bad end was never built: it has to be, like any commit.
    void forget_the_bad_build() { built_.erase(problem.suspects); }

    /// Confirmation's A/B session, as the first observations.
    void confirm(int runs_a_side) {
        for (std::size_t s = 0; s < truth_.size(); ++s) {
            const double offset = truth_[s].session_offset * normal_(random_);
            for (int i = 0; i < runs_a_side; ++i) {
                observe(-1, ProbePurpose::search, 0, static_cast<int>(s), offset);
                observe(-1, ProbePurpose::search, problem.suspects, static_cast<int>(s), offset);
            }
        }
        runs = 0;
    }

    /// Plays until the search ends; finishes the oldest open probe first.
    Decision play() {
        while (true) {
            const Decision decision = next(problem, facts());
            if (decision.done) return decision;
            for (const ProbeRequest& request : decision.probes) {
                open_.push_back(static_cast<int>(asked_.size()));
                asked_.push_back(request);
                made_by_.emplace_back();
            }
            if (open_.empty() || ++steps > 500) return decision;
            finish(open_.front());
            open_.erase(open_.begin());
        }
    }

    int builds() const { return static_cast<int>(built_.size()) - 2 + failed_builds_; }

    Facts facts() const {
        Facts f;
        f.observations = observations_;
        std::stable_sort(
            f.observations.begin(), f.observations.end(), [](const auto& a, const auto& b) {
                return std::max(a.probe, -1) < std::max(b.probe, -1);
            });
        for (const auto& [commit, times] : failures_) {
            f.failures.push_back({commit, times, built_.count(commit) > 0});
        }
        f.open_probes = open_;
        f.asked = asked_;
        f.machines = made_by_;
        f.built.assign(built_.begin(), built_.end());
        f.product.assign(static_cast<std::size_t>(problem.suspects) + 1, -1);
        for (const int commit : built_)
            f.product[static_cast<std::size_t>(commit)] = product(commit);
        return f;
    }

    const std::vector<ProbeRequest>& asked() const { return asked_; }

  private:
    int product(int commit) const {
        while (unchanged.count(commit) > 0) --commit;
        return commit;
    }

    bool build(int commit) {
        if (built_.count(commit) > 0) return true;
        const bool fails =
            broken.count(commit) > 0 || (flaky.count(commit) > 0 && failures_.count(commit) == 0);
        if (!fails) {
            failures_.erase(commit);
            built_.insert(commit);
            return true;
        }
        ++failures_[commit];
        ++failed_builds_;
        return false;
    }

    void observe(int probe, ProbePurpose purpose, int commit, int series, double offset) {
        const SeriesTruth& t = truth_[static_cast<std::size_t>(series)];
        double z =
            offset + t.noise * normal_(random_) +
            jitters_[static_cast<std::size_t>(series)][static_cast<std::size_t>(product(commit))];
        if (uniform_(random_) < t.outliers) z += std::log(1.3);
        for (const auto& [at, ratio] : t.changes) {
            if (commit >= at) z += std::log1p(ratio);
        }
        if (probe >= 0) z += of_machine(made_by_[static_cast<std::size_t>(probe)], commit);
        if (probe < 0 && !machines.empty()) z += of_machine(machines.front(), commit);
        const double sign = t.direction == Direction::lower_is_better ? 1 : -1;
        const double value = 1e6 * std::exp(sign * z);
        observations_.push_back(
            {probe, purpose, commit, series, t.noise > 0 ? value : std::round(value)});
        ++runs;
    }

    double of_machine(const std::string& machine, int commit) const {
        double z = 0;
        const auto own = changes_on.find(machine);
        if (own == changes_on.end()) return z;
        for (const auto& [at, ratio] : own->second) z += commit >= at ? std::log1p(ratio) : 0;
        return z;
    }

    /// @return false: there is none that may make it
    bool find_machine(int number) {
        const auto at = static_cast<std::size_t>(number);
        if (!asked_[at].not_on.empty() && !only_repeats.empty()) {
            made_by_[at] = *only_repeats.begin();
            return true;
        }
        for (std::size_t i = 0; i < machines.size(); ++i) {
            const auto& name = machines[(at + i) % machines.size()];
            if (name == asked_[at].not_on || away.contains(name)) continue;
            made_by_[at] = name;
            return true;
        }
        return machines.empty();
    }

    void finish(int number) {
        const ProbeRequest request = asked_[static_cast<std::size_t>(number)];
        if (!find_machine(number)) return;
        const std::set<int> wanted(request.commits.begin(), request.commits.end());
        for (const int commit : wanted) build(commit);
        for (const int series : request.series) {
            const double offset =
                truth_[static_cast<std::size_t>(series)].session_offset * normal_(random_);
            for (const int commit : request.commits) {
                if (built_.count(commit) == 0) continue;
                if (crashing.count(commit) > 0) {
                    failures_[commit] += 1;
                    continue;
                }
                observe(number, request.purpose, commit, series, offset);
            }
        }
    }

    std::vector<SeriesTruth> truth_;
    std::mt19937_64 random_;
    std::normal_distribution<double> normal_{0, 1};
    std::uniform_real_distribution<double> uniform_{0, 1};
    std::vector<std::vector<double>> jitters_;
    std::set<int> built_;
    std::map<int, int> failures_;
    int failed_builds_ = 0;
    std::vector<int> open_;
    std::vector<ProbeRequest> asked_;
    std::vector<std::string> made_by_;
    std::vector<Observation> observations_;
};

}  // namespace vigil::search
