#include "service/local/steadier.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "bisect/stats/summary.hpp"
#include "service/local/answer.hpp"

namespace vigil::local {

namespace {

constexpr double busy_from = 0.9;        // of one thread that computes and has its processor
constexpr double several_threads = 1.1;  // runs at once would wait for each other
constexpr std::size_t few = 4;           // runs that show a busy machine
constexpr double mostly_waits = 0.2;  // for something of its own, more likely than for the machine

}  // namespace

std::string SteadierHint::after(double busy_share) {
    shares_.push_back(busy_share);
    if (measure_ != Measure::time || said_) return "";
    if (shares_.size() != few && shares_.size() != many_) return "";
    const double share = stats::median(shares_);
    if (share > several_threads || share < mostly_waits) return "";
    if (shares_.size() == few && share >= busy_from) return "";  // the machine is quiet
    said_ = true;
    const std::string advice =
        "--metric cpu, its processor time, is steadier on a machine that others use, and sooner "
        "told: its runs share a processor";
    if (share >= busy_from) {
        return "hint: the benchmark computes nearly all of its time, in one thread: " + advice;
    }
    return fmt::format(
        "hint: the benchmark had a processor for {:.0f} % of its time; where it waits for a busy "
        "machine, and for nothing of its own: {}",
        100 * share,
        advice);
}

namespace {

constexpr double may_slow = 0.05;  // so much more time leaves the ratio of two builds as it is
constexpr double least_spread = 0.01;
constexpr double errors_to_be_sure = 2;
constexpr std::size_t least_rounds = 2;
constexpr std::size_t most_rounds = 3;
constexpr double moments_of_a_round = 1.5;  // that of the group, and two of the runs alone

/// Squares of what runs alone lie off the middle of their end, in logs, and how many are free.
void add_squares(const std::vector<double>& values, double& squares, double& freedom) {
    const double middle = vigil::log_of(stats::median(values));
    for (const double value : values) squares += std::pow(vigil::log_of(value) - middle, 2);
    freedom += static_cast<double>(values.size()) - 1;
}

std::vector<double> all_of(const std::vector<InterferenceRound>& rounds, bool of_good) {
    std::vector<double> all;
    for (const auto& round : rounds) {
        const auto& some = of_good ? round.alone.good : round.alone.bad;
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

double mean_slowing(const std::vector<InterferenceRound>& rounds, bool of_good) {
    double sum = 0;
    for (const auto& [together, alone] : rounds) {
        sum += vigil::log_of(stats::median(of_good ? together.good : together.bad)) -
               vigil::log_of(stats::median(of_good ? alone.good : alone.bad));
    }
    return sum / static_cast<double>(rounds.size());
}

/// Runs of the two ends, in turns, into `values`. @return false when stopped
bool run_ends(
    Workshop& workshop,
    const World& world,
    const std::vector<std::vector<bool>>& groups,  // of each: whether it is of the good end
    const std::array<Revision, 2>& ends,
    EndValues& values,
    double& seconds) {
    for (const auto& group : groups) {
        std::vector<Revision> revisions;
        for (const bool of_good : group) revisions.push_back(ends[of_good ? 0 : 1]);
        const auto runs = workshop.run_together(revisions);
        if (world.stopped()) return false;
        for (std::size_t i = 0; i < runs.size(); ++i) {
            seconds += runs[i].seconds;
            if (runs[i].value) (group[i] ? values.good : values.bad).push_back(*runs[i].value);
        }
    }
    return true;
}

std::vector<bool> group_of_ends(int size) {
    std::vector<bool> group;
    for (int i = 0; i < size; ++i) group.push_back(i % 4 == 0 || i % 4 == 3);
    return group;
}

void append_values(EndValues& to, const EndValues& more) {
    to.good.insert(to.good.end(), more.good.begin(), more.good.end());
    to.bad.insert(to.bad.end(), more.bad.begin(), more.bad.end());
}

bool has_both(const EndValues& values) {
    return !values.good.empty() && !values.bad.empty();
}

}  // namespace

InterferenceVerdict judge_interference(
    const std::vector<InterferenceRound>& rounds, double& slowdown) {
    double squares = 0, freedom = 0;
    for (const bool of_good : {true, false}) add_squares(all_of(rounds, of_good), squares, freedom);
    const double spread = freedom > 0 ? std::sqrt(squares / freedom) : 0;
    const auto count = static_cast<double>(rounds.size());
    const double error = std::max(spread, least_spread) * std::sqrt(moments_of_a_round / count);
    const double most = std::max(mean_slowing(rounds, true), mean_slowing(rounds, false));
    slowdown = std::expm1(most);
    const double bar = std::log1p(may_slow);
    if (most + errors_to_be_sure * error < bar) return InterferenceVerdict::fits;
    if (rounds.size() < least_rounds) return InterferenceVerdict::open;
    if (most - errors_to_be_sure * error > bar) return InterferenceVerdict::disturbs;
    if (rounds.size() < most_rounds) return InterferenceVerdict::open;
    return most > std::max(bar, error) ? InterferenceVerdict::disturbs : InterferenceVerdict::fits;
}

std::optional<Interference> measure_interference(
    Workshop& workshop,
    const World& world,
    const Revision& good,
    const Revision& bad,
    const EndValues& together,
    int at_once) {
    const std::array ends{good, bad};
    const std::vector<std::vector<bool>> alone{{true}, {false}, {false}, {true}};
    const std::vector<std::vector<bool>> beside{group_of_ends(at_once)};
    Interference found;
    std::vector<InterferenceRound> rounds;
    InterferenceVerdict interference = InterferenceVerdict::open;
    while (interference == InterferenceVerdict::open && rounds.size() < most_rounds) {
        InterferenceRound round{rounds.empty() ? together : EndValues{}, {}};
        if (!rounds.empty()) {
            if (!run_ends(workshop, world, beside, ends, round.together, found.seconds)) return {};
            append_values(found.together, round.together);
        }
        if (!run_ends(workshop, world, alone, ends, round.alone, found.seconds)) return {};
        append_values(found.alone, round.alone);
        if (!has_both(round.together) || !has_both(round.alone)) break;  // it fails too often
        rounds.push_back(std::move(round));
        interference = judge_interference(rounds, found.slowdown);
    }
    found.at_once = interference == InterferenceVerdict::disturbs ? 1 : at_once;
    return found;
}

std::string interference_note(const Interference& interference) {
    if (interference.at_once > 1) return "";
    return fmt::format(
        "note: runs at once disturb each other ({} beside others, against alone): each run is made "
        "alone; --at-once N keeps N at once",
        percent_text(interference.slowdown));
}

}  // namespace vigil::local
