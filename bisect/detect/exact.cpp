#include "bisect/detect/exact.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "bisect/detect/noise.hpp"
#include "bisect/detect/rules.hpp"

namespace vigil::detect {

namespace {

constexpr double largest_exact = 9007199254740992.0;  // 2^53: above it doubles skip integers
__extension__ using Wide = __int128;

struct Constant {
    std::int64_t value = 0;
    int runs = 0;
    bool constant = true;
};

Constant constant_of(std::span<const SessionRun> runs, Side side) {
    Constant found;
    for (const SessionRun& run : runs) {
        if (run.side != side) continue;
        if (run.value != std::floor(run.value) || run.value >= largest_exact) {
            found.constant = false;
            return found;
        }
        const auto value = static_cast<std::int64_t>(run.value);
        if (found.runs > 0 && value != found.value) found.constant = false;
        found.value = value;
        ++found.runs;
    }
    return found;
}

/// worse > (1 + ratio) * good, without rounding; the ratio is taken in parts per million.
bool exceeds(std::int64_t worse, std::int64_t good, double ratio) {
    const auto millionths = static_cast<Wide>(std::llround(ratio * 1e6));
    return Wide{1'000'000} * worse > (Wide{1'000'000} + millionths) * good;
}

}  // namespace

std::optional<SessionJudgement> judge_exactly(
    std::span<const SessionRun> runs, const SessionRules& rules) {
    const bool quiet =
        rules.run_noise > 0 ? rules.run_noise <= rule.least_spread : !moves_with_layout(rules.kind);
    if (!quiet || rules.kind == MetricKind::time) return std::nullopt;
    const Constant a = constant_of(runs, Side::a);
    const Constant b = constant_of(runs, Side::b);
    const int least = 2 + 2 * blocks_for_cases(rules.cases);
    if (!a.constant || !b.constant || a.runs < 2 || b.runs < 2) return std::nullopt;
    if (a.value != b.value && std::min(a.runs, b.runs) < std::min(least, 2 * rules.max_blocks)) {
        SessionJudgement open;
        open.reason = "every run of a side gave the same number: to be seen in more blocks";
        return open;
    }

    const bool lower = rules.direction == Direction::lower_is_better;
    const std::int64_t larger_is_worse_before = lower ? a.value : b.value;
    const std::int64_t larger_is_worse_after = lower ? b.value : a.value;
    const auto worse_by = [&](double ratio) {
        return exceeds(larger_is_worse_after, larger_is_worse_before, ratio);
    };
    const auto better_by = [&](double ratio) {
        return exceeds(larger_is_worse_before, larger_is_worse_after, ratio);
    };
    const double half = std::expm1(std::log1p(rules.threshold) / 2);

    SessionJudgement judgement;
    judgement.decided = true;
    judgement.level_of_old = badness(static_cast<double>(a.value), rules.direction);
    Comparison& c = judgement.comparison;
    c.before = static_cast<double>(a.value);
    c.after = static_cast<double>(b.value);
    c.change_ratio = change_ratio(c.before, c.after, rules.direction);
    // A whole number stands for all that round to it.
    const double good = lower ? c.before : c.after;
    const double bad = lower ? c.after : c.before;
    c.low = (bad - 0.5) / (good + 0.5) - 1;
    c.high = (bad + 0.5) / (good - 0.5) - 1;
    c.above = worse_by(rules.threshold) ? 1 : 0;
    c.runs_before = a.runs;
    c.runs_after = b.runs;
    c.finding = worse_by(half) ? Finding::worse : better_by(half) ? Finding::better : Finding::same;
    judgement.verdict = worse_by(rules.threshold)    ? Verdict::regression
                        : better_by(rules.threshold) ? Verdict::improvement
                        : worse_by(half)             ? Verdict::drift
                                                     : Verdict::noise;
    judgement.reason = fmt::format(
        "every run of a side gave the same number: {} against {}, {:+.3f} %, compared exactly",
        a.value,
        b.value,
        100 * c.change_ratio);
    return judgement;
}

}  // namespace vigil::detect
