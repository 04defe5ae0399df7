#include <algorithm>
#include <cmath>
#include <ctime>

#include "bisect/search/driver.hpp"
#include "bisect/stats/summary.hpp"
#include "tests/bench/bisect/rules.hpp"

namespace vigil::bench {

namespace {

constexpr int runs_a_series = 400;

/// What earlier nights show of one run's spread, as the program without a server computes it.
double noise_of(const std::vector<double>& history) {
    if (history.empty()) return 0;
    std::vector<double> logs;
    for (const double value : history) logs.push_back(std::log(value));
    const double mean = stats::mean(logs);
    double squares = 0;
    for (const double l : logs) squares += (l - mean) * (l - mean);
    const double deviation = std::sqrt(squares / static_cast<double>(logs.size() - 1));
    return std::max({stats::spread(logs), 0.5 * deviation, 6e-4});
}

std::string machine_name(int worker) {
    return std::to_string(worker);
}

search::Problem problem_of(const World& world) {
    search::Problem problem;
    problem.suspects = world.suspects;
    problem.weights = world.weights;
    problem.workers = world.workers;
    problem.at_once = world.at_once;
    if (world.repeaters > 0) {
        auto& there = problem.machines.emplace_back().there;
        for (int i = 0; i < world.workers + world.repeaters; ++i) there.push_back(machine_name(i));
    }
    problem.costs = {world.build_cost, world.change_cost};
    const auto count = static_cast<int>(world.series.size());
    problem.budget = {100'000, 60 * std::min(count, 3), runs_a_series * count};
    for (int s = 0; s < count; ++s) {
        const SeriesTruth& t = world.truth(s);
        search::SeriesSpec spec;
        spec.group = t.group;
        spec.direction = t.direction;
        spec.kind = t.kind;
        spec.threshold = threshold;
        spec.expected_ratio = world.seen_ratio(s);
        spec.noise = noise_of(world.history(s));
        spec.nights = spec.noise;
        problem.series.push_back(spec);
    }
    return problem;
}

class Search {
  public:
    Search(const World& world, Lab& lab)
        : world_(world), lab_(lab), problem_(problem_of(world)), driver_(world.suspects) {
        for (int commit = 0; commit <= world.suspects; ++commit) {
            if (lab.has(commit)) add_build(commit);
        }
    }

    search::Decision play(std::vector<double>* step_s) {
        for (;;) {
            const std::clock_t begin = std::clock();
            search::Decision decision = driver_.decide(problem_);
            const auto took = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
            if (step_s != nullptr) step_s->push_back(took);
            if (decision.done) return decision;
            for (const auto& probe : decision.probes) {
                const int not_on = probe.not_on.empty() ? -1 : std::stoi(probe.not_on);
                lab_.submit({probe.commits, probe.series, not_on});
                driver_.add(search::Planned{probe});
            }
            for (const Outcome& outcome : lab_.finish_next()) take(outcome);
        }
    }

  private:
    void add_build(int commit) {
        driver_.add(search::Built{commit, std::to_string(world_.product(commit))});
    }

    void take(const Outcome& outcome) {
        driver_.add(search::ProbeEnded{
            outcome.order, false, world_.repeaters > 0 ? machine_name(outcome.worker) : ""});
        if (outcome.kind == Outcome::Kind::build_failed) {
            driver_.add(search::BuildFailed{outcome.commit});
            return;
        }
        add_build(outcome.commit);
        const int order = outcome.order;
        if (outcome.kind == Outcome::Kind::lost) {
            driver_.add(search::RunFailed{order, outcomes_++, outcome.commit, search::Loss::lost});
        } else {
            driver_.add(search::Ran{
                order,
                outcomes_++,
                outcome.commit,
                outcome.series,
                outcome.value,
                outcome.group,
                outcome.busy});
        }
    }

    const World& world_;
    Lab& lab_;
    search::Problem problem_;
    search::Driver driver_;
    int outcomes_ = 0;
};

}  // namespace

std::vector<Answer> play_vigil(const World& world, Lab& lab, std::vector<double>* step_s) {
    const search::Decision decision = Search(world, lab).play(step_s);
    std::vector<Answer> answers;
    for (std::size_t s = 0; s < world.series.size(); ++s) {
        const search::SeriesEnding& ending = decision.endings[s];
        Answer answer;
        if (ending.ending == search::Ending::not_reproduced) {
            answer.kind = Answer::Kind::cleared;
        } else if (ending.verified.runs_after > 0) {
            answer.kind = Answer::Kind::named;
            answer.named.push_back({ending.first, ending.last});
            answer.filed = 1;
            for (const auto& further : decision.further) {
                if (further.series != ending.series) continue;
                answer.named.push_back({further.first, further.last});
                answer.filed += further.stands_alone ? 1 : 0;
            }
        } else {
            answer.set = search::credible_set(decision.posterior[s]);
            if (ending.unchanged > 0.05) answer.set.insert(answer.set.begin(), 0);
        }
        answers.push_back(std::move(answer));
    }
    return answers;
}

}  // namespace vigil::bench
