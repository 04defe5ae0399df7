#include "service/local/story.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "bisect/stats/summary.hpp"
#include "bisect/stats/together.hpp"
#include "schema/model/error.hpp"

namespace vigil::local {

namespace {

constexpr double share_of_path = 10;  // how much likelier a suspect that touches the path is
constexpr int most_probes = 100'000;
constexpr double usual_reach = 5;  // times the expected change, in logs

[[noreturn]] void refuse_line(const std::string& why) {
    throw Error(Errc::invalid_argument, "replaying the log: " + why);
}

}  // namespace

void Story::add(const LogEntry& entry) {
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
    if (const auto* read_as = std::get_if<ReadAs>(&entry)) {
        started_->order = reading_as(std::move(started_->order), *read_as);
    }
    if (const auto* chosen = std::get_if<CaseChosen>(&entry)) add_chosen(*chosen);
    if (const auto* asked = std::get_if<ProbeRequested>(&entry)) add_requested(*asked);
    if (const auto* build = std::get_if<BuildEnded>(&entry)) add_build(*build);
    if (const auto* run = std::get_if<RunEnded>(&entry)) add_run(*run);
    if (const auto* interference = std::get_if<Interference>(&entry))
        add_interference(*interference);
    if (const auto* moved = std::get_if<PinsMoved>(&entry)) {
        moves_[moved->commit] = moved->moves;
    }
    if (const auto* merge = std::get_if<MergeSeen>(&entry)) merges_[merge->commit] = *merge;
    if (const auto* paused = std::get_if<Paused>(&entry)) paused_ = paused->why;
    if (const auto* ended = std::get_if<SearchEnded>(&entry)) ended_ = *ended;
}

Story Story::inside_of(const Story& before, const search::Decision& decision) {
    const auto problem = before.problem();
    const auto spent = search::spent_by(problem, before.facts());
    const auto inner = search::problem_inside(problem, spent, decision.endings);
    Story story;
    story.jobs_ = before.jobs_;
    story.spending_ = before.spending_;
    story.interference_ = before.interference_;
    story.seconds_before_ = before.seconds_before_ - before.seconds_;
    story.spent_before_ = before.spent_before_;
    story.spent_before_ += spent;
    story.inherited_ratio_ = inner.series.empty() ? 0 : inner.series.front().expected_ratio;
    story.inherited_build_cost_ = inner.costs.build;
    return story;
}

void Story::add_start(const Started& start) {
    if (started()) refuse_line("it begins twice");
    started_ = start;
    // An end that fails stops the program with a message; inside of a merge a commit before it may
    // stand in for the bad one.
    driver_ = search::Driver(last(), start.inside ? std::vector{0} : std::vector{0, last()});
}

std::vector<std::vector<int>> Story::groups_left(int number) const {
    const auto& asked = probe(number);
    std::vector<std::vector<int>> groups;
    for (auto& group : stats::run_groups(asked.request.commits, at_once())) {
        std::erase_if(group, [&](int position) {
            const auto has_run = [&](const auto& run) { return run.position == position; };
            return std::any_of(asked.runs.begin(), asked.runs.end(), has_run);
        });
        if (!group.empty()) groups.push_back(std::move(group));
    }
    return groups;
}

void Story::add_requested(const ProbeRequested& asked) {
    if (asked.number != static_cast<int>(probes().size())) {
        refuse_line(fmt::format("probe {} is out of order", asked.number));
    }
    driver_.add(search::Planned{asked.request});
    ended_.reset();
}

void Story::add_build(const BuildEnded& build) {
    if (build.built) {
        driver_.add(search::Built{build.commit, build.digest, build.probe});
        for (const int known : driver_.needless_probes()) driver_.add(search::ProbeEnded{known});
    } else {
        driver_.add(search::BuildFailed{build.commit, 1, build.probe, build.message});
        ++builds_failed_;
    }
    const double whole = build.seconds + build.handling_seconds;
    seconds_ += whole;
    handling_seconds_ += build.handling_seconds;
    if (build.cached) return;
    ++builds_;
    if (build.built) build_times_.push_back(whole);
}

void Story::add_run(const RunEnded& run) {
    const bool asked = run.probe >= 0 && run.probe < static_cast<int>(probes().size());
    if (!asked) refuse_line(fmt::format("probe {} was never asked for", run.probe));
    const auto& commits = probe(run.probe).request.commits;
    const auto position = static_cast<std::size_t>(run.position);
    if (position >= commits.size()) refuse_line("a run at no position of its probe");
    const int commit = commits[position];
    if (run.value) {
        const double busy = order().measure == Measure::time ? run.busy : 0;
        driver_.add(search::Ran{run.probe, run.position, commit, 0, *run.value, run.group, busy});
    } else {
        driver_.add(
            search::RunFailed{run.probe, run.position, commit, search::Loss::failed, run.message});
    }
    ++runs_;
    seconds_ += run.seconds;
    run_times_.push_back(run.seconds);
}

void Story::add_chosen(const CaseChosen& chosen) {
    if (!chosen_ && !order().select.empty())
        refuse_line("its order names a case, and it chooses one");
    chosen_ = chosen;
    started_->order.select = chosen.name;
    runs_ += chosen.runs;
    seconds_ += chosen.seconds;
}

void Story::add_interference(const Interference& interference) {
    interference_ = interference;
    for (const EndValues* values : {&interference.alone, &interference.together}) {
        runs_ += static_cast<int>(values->good.size() + values->bad.size());
    }
    seconds_ += interference.seconds;
}

bool Story::is_interference_open() const {
    if (at_once() <= 1 || interference_ || ended_ || !facts().open_probes.empty()) return false;
    const auto together = values_together();
    return !together.good.empty() && !together.bad.empty();
}

EndValues Story::values_together() const {
    EndValues values;
    for (const auto& probe : probes()) {
        for (const auto& run : probe.runs) {
            if (!run.gave_value() || run.group < 0) continue;
            if (run.commit == 0) values.good.push_back(run.value);
            if (run.commit == last()) values.bad.push_back(run.value);
        }
    }
    return values;
}

const Revision& Story::revision(int commit) const {
    if (commit > 0) return suspect(commit).revision;
    return start().base.empty() ? order().good : start().base;
}

const history::PinMoves* Story::moves(int commit) const {
    const auto found = moves_.find(commit);
    return found == moves_.end() ? nullptr : &found->second;
}

const MergeSeen* Story::merge(int commit) const {
    const auto found = merges_.find(commit);
    return found == merges_.end() ? nullptr : &found->second;
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
    if (inherited_ratio_ != 0) return inherited_ratio_;
    const double threshold = order().threshold;
    const auto& good = commit(0).values;
    const auto& bad = commit(last()).values;
    if (good.empty() || bad.empty()) return threshold;
    const double middles[] = {stats::median(good), stats::median(bad)};
    if (middles[0] == 0 || middles[1] == 0) return std::max(threshold, search::expected_from_zero);
    const double seen = std::abs(std::log(middles[1] / middles[0]));
    return seen > usual_reach * std::log1p(threshold) ? std::expm1(seen) : threshold;
}

search::Budget Story::budget() const {
    const int runs = out_of_time() ? 0 : spending_.runs;
    return search::left_of({most_probes, spending_.builds, runs, spending_.further}, spent_before_);
}

search::Problem Story::problem() const {
    search::Problem problem;
    problem.suspects = last();
    search::SeriesSpec spec;
    spec.direction = order().direction;
    spec.better = order().better;
    spec.kind = kind_of(order());
    spec.threshold = order().threshold;
    spec.expected_ratio = expected_ratio();
    problem.series = {spec};
    for (std::size_t i = 0; i < start().suspects.size(); ++i) {
        const bool likelier = !order().path.empty() && start().touches[i];
        const double commits = start().suspects[i].commits;
        problem.weights.push_back(likelier ? share_of_path * commits : commits);
    }
    const auto& weights = problem.weights;
    if (std::ranges::adjacent_find(weights, std::ranges::not_equal_to{}) == weights.end()) {
        problem.weights.clear();  // all alike
    }
    problem.budget = budget();
    problem.costs.build = inherited_build_cost_;
    if (!build_times_.empty() && run_seconds() > 0) {
        problem.costs.build = std::clamp(build_seconds() / run_seconds(), 0.2, 1000.0);
    }
    problem.workers = jobs_;
    problem.at_once = at_once();
    for (int commit = 0; commit <= last(); ++commit) {
        problem.names.push_back(revision(commit).brief());
    }
    return problem;
}

search::Facts Story::facts() const {
    auto facts = driver_.facts();
    if (out_of_time()) facts.open_probes.clear();  // nobody waits for them
    if (interference_ && at_once() == 1) {
        // What runs took beside others is no measure of the builds.
        std::erase_if(facts.observations, [](const auto& one) { return one.group >= 0; });
    }
    return facts;
}

SearchAccount account_of(std::vector<Found> searches) {
    SearchAccount account{std::move(searches.front())};
    searches.erase(searches.begin());
    account.inside = std::move(searches);
    return account;
}

Story replay_story(const std::vector<LogEntry>& entries) {
    Story story;
    for (const LogEntry& entry : entries) story.add(entry);
    if (!story.started()) refuse_line("it is empty");
    return story;
}

bool Story::knows_reading() const {
    if (order().read_as) return true;
    const auto gave_one = [](const auto& run) { return run.gave_value(); };
    return std::ranges::any_of(
        probes(), [&](const auto& probe) { return std::ranges::any_of(probe.runs, gave_one); });
}

}  // namespace vigil::local
