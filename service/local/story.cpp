#include "service/local/story.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "bisect/stats/summary.hpp"
#include "bisect/stats/together.hpp"
#include "schema/model/error.hpp"

namespace vigil::local {

namespace {

constexpr double share_of_path = 10;  // how much likelier a suspect that touches the path is
constexpr int hopeless_runs = 2;      // failed runs without any value: the probe goes no further
constexpr double usual_build_cost = 10;
constexpr double usual_reach = 5;  // times the expected change, in logs

[[noreturn]] void refuse_line(const std::string& why) {
    throw Error(Errc::invalid_argument, "replaying the log: " + why);
}

/// Runs of a commit in a probe that gave a value, and those that failed.
std::pair<int, int> counts(const ProbeStory& probe, int commit) {
    std::pair<int, int> found{0, 0};
    for (std::size_t i = 0; i < probe.runs.size(); ++i) {
        if (probe.request.commits[i] != commit || !probe.runs[i]) continue;
        ++(probe.runs[i]->value > 0 ? found.first : found.second);
    }
    return found;
}

bool is_over(const ProbeStory& probe) {
    if (probe.build_failed) return true;
    const bool all = std::all_of(
        probe.runs.begin(), probe.runs.end(), [](const auto& run) { return run.has_value(); });
    return all ||
           std::any_of(probe.request.commits.begin(), probe.request.commits.end(), [&](int commit) {
               const auto [passed, failed] = counts(probe, commit);
               return passed == 0 && failed >= hopeless_runs;
           });
}

}  // namespace

void Story::add(const Entry& entry) {
    if (!started() && !std::holds_alternative<Started>(entry)) {
        refuse_line("it does not begin like the log of a search");
    }
    paused_.clear();
    if (const auto* start = std::get_if<Started>(&entry)) add_start(*start);
    if (const auto* resumed = std::get_if<Resumed>(&entry)) {
        jobs_ = resumed->jobs;
        spending_ = resumed->spending;
        seconds_before_ = seconds_;
    }
    if (const auto* asked = std::get_if<Asked>(&entry)) add_asked(*asked);
    if (const auto* build = std::get_if<BuildEnded>(&entry)) add_build(*build);
    if (const auto* run = std::get_if<RunEnded>(&entry)) add_run(*run);
    if (const auto* moved = std::get_if<Moved>(&entry)) {
        commit_at(moved->commit);  // exists
        moves_[moved->commit] = moved->moves;
    }
    if (const auto* paused = std::get_if<Paused>(&entry)) paused_ = paused->why;
    if (const auto* ended = std::get_if<Ended>(&entry)) ended_ = *ended;
}

Story Story::inside_of(const Story& outer) {
    Story story;
    story.jobs_ = outer.jobs_;
    story.spending_ = outer.spending_;
    story.outer_runs_ = outer.outer_runs_ + outer.runs_;
    story.outer_builds_ = outer.outer_builds_ + outer.builds_;
    story.seconds_before_ = outer.seconds_before_ - outer.seconds_;
    return story;
}

void Story::add_start(const Started& start) {
    if (started()) refuse_line("it begins twice");
    started_ = start;
}

void Story::add_asked(const Asked& asked) {
    if (asked.number != static_cast<int>(probes_.size())) {
        refuse_line(fmt::format("probe {} is out of order", asked.number));
    }
    for (const int number : asked.request.commits) commit_at(number);
    ProbeStory probe{asked.request, {}, false, false};
    probe.runs.resize(asked.request.commits.size());
    probes_.push_back(std::move(probe));
    ended_.reset();
}

void Story::add_build(const BuildEnded& build) {
    auto& mine = commit_at(build.commit);
    probe(build.probe);  // exists
    if (build.built) {
        mine.built = true;
        mine.digest = build.digest;
    } else {
        ++mine.builds_failed;
        ++builds_failed_;
        mine.build_message = build.message;
    }
    // One build serves all probes that wait for it; an end is tried twice for the same probe.
    for (ProbeStory& asked : probes_) {
        const auto& commits = asked.request.commits;
        const bool waits = std::find(commits.begin(), commits.end(), build.commit) != commits.end();
        if (build.built || !waits || asked.over) continue;
        asked.build_failed = true;
        asked.over = true;
    }
    auto& tried = probe(build.probe);
    if (build.built && tried.build_failed) {
        tried.build_failed = false;
        tried.over = is_over(tried);
    }
    seconds_ += build.seconds;
    if (build.cached) return;
    ++builds_;
    if (build.built) build_times_.push_back(build.seconds);
}

void Story::add_run(const RunEnded& run) {
    auto& asked = probe(run.probe);
    const auto position = static_cast<std::size_t>(run.position);
    if (position >= asked.runs.size()) refuse_line("a run at no position of its probe");
    if (asked.runs[position]) refuse_line("a run that was measured twice");
    asked.runs[position] = run;
    auto& mine = commit_at(asked.request.commits[position]);
    if (run.value > 0) {
        mine.values.push_back(run.value);
    } else {
        ++mine.runs_failed;
        mine.run_message = run.message;
    }
    asked.over = is_over(asked);
    ++runs_;
    seconds_ += run.seconds;
    run_times_.push_back(run.seconds);
}

ProbeStory& Story::probe(int number) {
    if (number < 0 || number >= static_cast<int>(probes_.size())) {
        refuse_line(fmt::format("probe {} was never asked for", number));
    }
    return probes_[static_cast<std::size_t>(number)];
}

CommitStory& Story::commit_at(int number) {
    if (number < 0 || number > last()) refuse_line(fmt::format("there is no commit {}", number));
    return commits_[number];
}

const Revision& Story::revision(int commit) const {
    if (commit > 0) return suspect(commit).revision;
    return start().base.empty() ? order().good : start().base;
}

const history::PinMoves* Story::moves(int commit) const {
    const auto found = moves_.find(commit);
    return found == moves_.end() ? nullptr : &found->second;
}

const CommitStory& Story::commit(int number) const {
    static const CommitStory none;
    const auto found = commits_.find(number);
    return found == commits_.end() ? none : found->second;
}

double Story::build_seconds() const {
    return build_times_.empty() ? 0 : stats::median(build_times_);
}

double Story::run_seconds() const {
    return run_times_.empty() ? 0 : stats::median(run_times_);
}

bool Story::out_of_time() const {
    return spending_.seconds > 0 &&
           seconds_ - seconds_before_ >= static_cast<double>(spending_.seconds);
}

/// The search knows changes near the one it expects. Without a confirmation before it that is the
/// threshold, unless the ends show one that is out of its reach (a benchmark 40 times slower).
double Story::expected_ratio() const {
    const double threshold = order().threshold;
    const auto& good = commit(0).values;
    const auto& bad = commit(last()).values;
    if (good.empty() || bad.empty()) return threshold;
    const double seen = std::abs(std::log(stats::median(bad) / stats::median(good)));
    return seen > usual_reach * std::log1p(threshold) ? std::expm1(seen) : threshold;
}

search::Problem Story::problem() const {
    search::Problem problem;
    problem.suspects = last();
    search::SeriesSpec spec;
    spec.direction = order().direction;
    spec.kind = kind_of(metric_of(order().measure));
    spec.threshold = order().threshold;
    spec.expected_ratio = expected_ratio();
    problem.series = {spec};
    if (!order().path.empty()) {
        for (const bool touches : start().touches) {
            problem.weights.push_back(touches ? share_of_path : 1);
        }
    }
    problem.budget.max_probes = 100'000;
    problem.budget.max_builds = std::max(spending_.builds - outer_builds_, 0);
    problem.budget.max_runs = out_of_time() ? 0 : std::max(spending_.runs - outer_runs_, 0);
    problem.costs.build = usual_build_cost;
    if (!build_times_.empty() && run_seconds() > 0) {
        problem.costs.build = std::clamp(build_seconds() / run_seconds(), 0.2, 1000.0);
    }
    problem.workers = jobs_;
    return problem;
}

search::Facts Story::facts() const {
    search::Facts facts;
    for (int number = 0; number < static_cast<int>(probes_.size()); ++number) {
        const ProbeStory& probe = probes_[static_cast<std::size_t>(number)];
        facts.asked.push_back(probe.request);
        if (!probe.over) {
            if (!out_of_time()) facts.open_probes.push_back(number);
            continue;
        }
        std::vector<stats::GroupedValue> values;
        for (std::size_t i = 0; i < probe.runs.size(); ++i) {
            if (!probe.runs[i] || probe.runs[i]->value <= 0) continue;
            values.push_back(
                {probe.runs[i]->group, probe.request.commits[i], probe.runs[i]->value});
        }
        const auto levelled = stats::level_groups(values);
        for (std::size_t i = 0; i < values.size(); ++i) {
            facts.observations.push_back(
                {number, probe.request.purpose, values[i].kind, 0, levelled[i]});
        }
    }
    std::map<std::string, int> products;
    facts.product.assign(static_cast<std::size_t>(last()) + 1, -1);
    for (const auto& [number, mine] : commits_) {
        if (mine.built) {
            facts.built.push_back(number);
            const auto next_number = static_cast<int>(products.size());
            facts.product[static_cast<std::size_t>(number)] =
                products.emplace(mine.digest, next_number).first->second;
        }
        // An end that fails stops the program with a message; it says nothing of the suspects.
        // Inside of a merge a commit before it may stand in for the bad one.
        if (number == 0 || (number == last() && !start().inside)) continue;
        if (mine.builds_failed > 0 && !mine.built) {
            facts.failures.push_back({number, mine.builds_failed, false});
        }
        if (mine.runs_failed > 0 && mine.values.empty()) {
            facts.failures.push_back({number, mine.runs_failed, true});
        }
    }
    return facts;
}

Story replay_story(const std::vector<Entry>& entries) {
    Story story;
    for (const Entry& entry : entries) story.add(entry);
    if (!story.started()) refuse_line("it is empty");
    return story;
}

}  // namespace vigil::local
