// What is used elsewhere, as its users run it; one series after the other, with kept builds.

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>

#include "bisect/stats/summary.hpp"
#include "tests/bench/bisect/dice.hpp"
#include "tests/bench/bisect/pinpoint.hpp"
#include "tests/bench/bisect/rules.hpp"

namespace vigil::bench {

namespace {

constexpr int tries_for_a_value = 3;

/// The median of so many runs; none when the commit does not build or gives no value.
std::optional<double> middle(Lab& lab, int commit, int series, int runs) {
    for (int i = 0; i < tries_for_a_value; ++i) {
        const auto values = lab.measure(commit, series, runs);
        if (!values.empty()) return stats::median(values);
        if (!lab.has(commit)) return std::nullopt;
    }
    return std::nullopt;
}

/// `git bisect`'s next commit: the middle, or by its own dice away from where one was skipped.
int git_choice(const std::vector<int>& left, int low, int high, std::uint64_t seed) {
    const int wanted = (low + high) / 2;
    if (std::binary_search(left.begin(), left.end(), wanted)) return wanted;
    auto order = left;
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
        return std::abs(a - wanted) < std::abs(b - wanted);
    });
    const double share = std::pow(Dice(seed, {left.size()}).uniform(), 1.5);
    const auto place = static_cast<std::size_t>(share * static_cast<double>(order.size()));
    return order[std::min(place, order.size() - 1)];
}

/// How a rule judges one commit by the medians of the two ends.
struct Judge {
    int runs = 1;
    std::function<bool(double value, double good, double bad)> is_bad;
    bool skips = true;  ///< what cannot be measured is passed over; otherwise it counts as good
};

Answer play_git(const World& world, Lab& lab, int series, const Judge& judge) {
    const auto good = middle(lab, 0, series, judge.runs);
    const auto bad = middle(lab, world.suspects, series, judge.runs);
    if (!good || !bad) return {};
    if (*bad / *good <= 1 + threshold) return {Answer::Kind::cleared, {}, {}};
    int low = 0;
    int high = world.suspects;
    std::set<int> skipped;
    for (;;) {
        std::vector<int> left;
        for (int c = low + 1; c < high; ++c) {
            if (!skipped.contains(c)) left.push_back(c);
        }
        if (left.empty()) return {Answer::Kind::named, {{low + 1, high}}, {}};
        const int commit = git_choice(left, low, high, world.seed);
        const auto value = middle(lab, commit, series, judge.runs);
        if (!value && judge.skips)
            skipped.insert(commit);
        else if (value && judge.is_bad(*value, *good, *bad))
            high = commit;
        else
            low = commit;
    }
}

/// A script for `git bisect run` with so many repeats: bad is what lies nearer to the bad end.
Judge nearer_end(int runs) {
    const auto nearer = [](double value, double good, double bad) {
        return value > (good + bad) / 2;
    };
    return {runs, nearer, true};
}

/// Intel's: one run; more than 10 % over the good end, rounded, is bad; what fails is good.
Judge intel() {
    const auto above = [](double value, double good, double) {
        return std::round(100 * value / good) / 100 > 1.1;
    };
    return {1, above, false};
}

/// TorchBench's: one run a commit; both halves of a stretch whose ends differ by more than the
/// threshold are looked at. What fails ends it.
Answer play_torchbench(const World& world, Lab& lab, int series) {
    std::map<int, double> seen;
    const auto measured = [&](int commit) {
        if (seen.contains(commit)) return true;
        const auto values = lab.measure(commit, series, 1);
        if (!values.empty()) seen[commit] = values.front();
        return !values.empty();
    };
    Answer answer{Answer::Kind::cleared, {}, {}};
    std::deque<Stretch> waiting{{0, world.suspects}};
    while (!waiting.empty()) {
        const auto [low, high] = waiting.front();
        waiting.pop_front();
        if (!measured(low) || !measured(high)) return {};
        if (std::abs(seen[high] - seen[low]) / seen[low] <= threshold) continue;
        if (high == low + 1) {
            answer.kind = Answer::Kind::named;
            answer.named.push_back({high, high});
            continue;
        }
        const int half = (low + high) / 2;
        waiting.push_back({low, half});
        waiting.push_back({half, high});
    }
    return answer;
}

/// A rule for one series, played for each.
Rule each(std::string name, std::function<Answer(const World&, Lab&, int)> play) {
    const auto all = [play = std::move(play)](const World& world, Lab& lab) {
        std::vector<Answer> answers;
        for (int s = 0; s < static_cast<int>(world.series.size()); ++s) {
            answers.push_back(play(world, lab, s));
        }
        return answers;
    };
    return {std::move(name), all};
}

Rule judged(std::string name, Judge judge) {
    return each(std::move(name), [judge](const World& world, Lab& lab, int series) {
        return play_git(world, lab, series, judge);
    });
}

}  // namespace

std::vector<Rule> all_rules() {
    return {
        {"Vigil", [](const World& world, Lab& lab) { return play_vigil(world, lab, nullptr); }},
        judged("git, 1 run", nearer_end(1)),
        judged("git, 3 runs", nearer_end(3)),
        judged("git, 10 runs", nearer_end(10)),
        each("TorchBench", play_torchbench),
        judged("Intel", intel()),
        each("recursive", play_recursive)};
}

}  // namespace vigil::bench
