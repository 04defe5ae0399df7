#include "bisect/detect/zeros.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "bisect/detect/noise.hpp"
#include "bisect/stats/summary.hpp"

namespace vigil::detect {

namespace {

constexpr std::size_t least_constant = 2;  // runs of a side, where all runs of each are equal
constexpr std::size_t least_runs = 4;  // where one side lies beyond the other: 1 in 35 by chance
constexpr std::size_t mixed_runs = 6;  // where some pairs of runs say otherwise
constexpr double nearly_all = 0.9;     // of the pairs
constexpr double likely = 0.75;        // of them: more runs may tell

struct Sides {
    std::vector<double> a, b;

    std::size_t fewest() const { return std::min(a.size(), b.size()); }
    bool are_constant() const { return is_constant(a) && is_constant(b); }

    static bool is_constant(const std::vector<double>& values) {
        return std::ranges::adjacent_find(values, std::ranges::not_equal_to()) == values.end();
    }
};

/// Of all pairs of a run of A and one of B, those in which B is larger; half of those that tie.
double share_larger(const Sides& sides) {
    double larger = 0;
    for (const double a : sides.a) {
        for (const double b : sides.b) larger += b > a ? 1 : b == a ? 0.5 : 0;
    }
    return larger / static_cast<double>(sides.a.size() * sides.b.size());
}

/// Whether the runs are enough to say that one side is the larger one.
bool is_apart(const Sides& sides, double share, int cases) {
    const double surely = std::max(share, 1 - share);
    const auto more = static_cast<std::size_t>(2 * blocks_for_cases(cases));
    const std::size_t n = sides.fewest() - std::min(sides.fewest(), more);
    if (surely == 1 && n >= (sides.are_constant() ? least_constant : least_runs)) return true;
    return surely >= nearly_all && n >= mixed_runs;
}

Comparison comparison_of(const Sides& sides, const SessionRules& rules) {
    Comparison c;
    c.before = stats::median(sides.a);
    c.after = stats::median(sides.b);
    c.change_ratio = change_ratio(c.before, c.after, rules.direction);
    const auto [low_a, high_a] = std::ranges::minmax(sides.a);
    const auto [low_b, high_b] = std::ranges::minmax(sides.b);
    const double one = change_ratio(high_a, low_b, rules.direction);
    const double other = change_ratio(low_a, high_b, rules.direction);
    c.low = std::min({one, other, c.change_ratio});
    c.high = std::max({one, other, c.change_ratio});
    c.runs_before = static_cast<int>(sides.a.size());
    c.runs_after = static_cast<int>(sides.b.size());
    return c;
}

void decide(SessionJudgement& judgement, Verdict verdict, Finding finding, const char* why) {
    judgement.decided = true;
    judgement.verdict = verdict;
    judgement.comparison.finding = finding;
    judgement.reason += std::string(": ") + why;
}

/// What is sure: one side is the larger one.
void decide_apart(SessionJudgement& judgement, bool is_worse, const SessionRules& rules) {
    const Comparison& c = judgement.comparison;
    if (!is_worse) return decide(judgement, Verdict::improvement, Finding::better, "better");
    if (c.change_ratio > rules.threshold) {
        return decide(judgement, Verdict::regression, Finding::worse, "worse");
    }
    decide(judgement, Verdict::drift, Finding::worse, "a real change below the threshold");
}

}  // namespace

std::optional<SessionJudgement> judge_with_zeros(
    std::span<const SessionRun> runs, const SessionRules& rules) {
    Sides sides;
    bool has_zero = false;
    for (const SessionRun& run : runs) {
        (run.side == Side::a ? sides.a : sides.b).push_back(run.value);
        has_zero = has_zero || run.value == 0;
    }
    if (!has_zero || sides.fewest() == 0) return std::nullopt;
    SessionJudgement judgement;
    Comparison& c = judgement.comparison;
    c = comparison_of(sides, rules);
    judgement.level_of_old = badness(c.before, rules.direction);
    const bool lower = rules.direction == Direction::lower_is_better;
    const double share = lower ? share_larger(sides) : 1 - share_larger(sides);
    const double grain = rules.kind == MetricKind::memory ? 1 : 0;
    const double size = std::abs(c.after - c.before);
    const bool is_change = size > 0 && size >= grain;
    judgement.reason = fmt::format(
        "{:g} against {:g} in {} + {} runs", c.after, c.before, sides.b.size(), sides.a.size());
    c.above = is_change ? share : 0;
    if (is_change && is_apart(sides, share, rules.cases)) {
        decide_apart(judgement, share > 0.5, rules);
        return judgement;
    }
    const bool all = static_cast<int>(sides.fewest()) >= 2 * rules.max_blocks;
    const bool may_be = is_change && std::max(share, 1 - share) >= likely;
    const bool enough = sides.fewest() >= (sides.are_constant() ? least_constant : least_runs);
    if (all && may_be) {
        decide(judgement, Verdict::watch, Finding::unknown, "undecided at the last block");
    } else if (enough && !may_be) {
        decide(judgement, Verdict::noise, Finding::same, "not reproduced");
    }
    return judgement;
}

}  // namespace vigil::detect
