#include "bisect/detect/night.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "bisect/detect/noise.hpp"
#include "bisect/detect/two_nights.hpp"
#include "bisect/stats/summary.hpp"
#include "schema/model/error.hpp"

namespace vigil::detect {

namespace {

constexpr std::size_t rolling_nights = 14;
constexpr std::size_t noise_nights = 28;
constexpr std::size_t noise_known = 4;
constexpr double lowest_bar = 0.7;  // of the threshold, in logs; a quiet series is asked this much
constexpr double noise_factor = 3;

std::vector<double> badness_of(std::span<const double> values, Direction direction) {
    std::vector<double> z;
    z.reserve(values.size());
    for (const double value : values) z.push_back(badness(value, direction));
    return z;
}

void require_positive(std::span<const double> values, const char* what) {
    for (const double value : values) {
        if (std::isfinite(value) && value > 0) continue;
        throw Error(
            Errc::invalid_argument,
            fmt::format("judging a night: {} holds {}, but values are above 0", what, value));
    }
}

/// How far above the rolling baseline tonight must lie. A quiet series is asked a part of the
/// threshold (the A/B decides), a noisy one the whole of it.
double bar_of(std::span<const double> history_z, std::span<const double> tonight_z, double tau) {
    const auto recent = history_z.last(std::min(history_z.size(), noise_nights));
    const double night_to_night = 1.04 * stats::spread(recent);
    // The median over processes wanders by less than one process does.
    const double within =
        stats::spread(tonight_z) / std::sqrt(static_cast<double>(tonight_z.size()));
    double bar = noise_factor * std::max(night_to_night, within);
    if (recent.size() == noise_nights) {
        // What this series reaches by itself, now and then, is no news.
        std::vector<double> away(recent.begin(), recent.end());
        const double middle = stats::median(recent);
        for (double& z : away) z -= middle;
        std::sort(away.begin(), away.end(), std::greater<>());
        bar = std::max(bar, away[2]);
    }
    return std::clamp(bar, lowest_bar * tau, tau);
}

struct Rule {
    double base = 0;
    double bar = 0;  ///< log
    std::string name;
};

struct Night {
    const NightInput& input;
    double value;
    double z;
    double tau;
};

std::optional<Rule> rolling_rule(const Night& night) {
    const auto& input = night.input;
    if (input.history.empty()) return std::nullopt;
    const auto last = input.history.last(std::min(input.history.size(), rolling_nights));
    const double base = stats::median(last);
    if (input.history.size() == 1) {
        return Rule{base, night.tau, "the change against the one earlier night"};
    }
    if (input.history.size() < noise_known) {
        // Too few nights to know the noise: the change ratio alone speaks.
        return Rule{base, night.tau, "the change against the median of the first nights"};
    }
    const auto history_z = badness_of(input.history, input.direction);
    const auto tonight_z = badness_of(input.tonight, input.direction);
    const double bar = bar_of(history_z, tonight_z, night.tau);
    return Rule{base, bar, fmt::format("the change against the median of {} nights", last.size())};
}

// The same rule as judge_trigger's, with the bar of this series' nights.
bool is_worse_by_two(const Night& night, const Rule& rule) {
    const auto& input = night.input;
    if (!input.explained || input.history.size() < noise_known) return false;
    const double base = badness(rule.base, input.direction);
    TwoNights nights;
    nights.tonight = night.z - base - *input.explained;
    nights.before = badness(input.history.back(), input.direction) - base;
    nights.bar = rule.bar;
    if (!two_nights_exceed(nights)) return false;  // with memory it only takes more
    nights.memory =
        learn_series_noise(badness_of(input.history, input.direction), RunNoise{}).memory;
    return two_nights_exceed(nights);
}

NightJudgement judge(const Night& night, const Rule& rule) {
    const auto& input = night.input;
    NightJudgement judgement;
    judgement.base = rule.base;
    judgement.value = night.value;
    judgement.change_ratio = change_ratio(rule.base, night.value, input.direction);
    const double moved = night.z - badness(rule.base, input.direction);
    // A change of exactly the threshold does not exceed it, whatever the last bit of a logarithm.
    constexpr double rounding = 1e-12;
    judgement.finding = moved > rule.bar + rounding     ? Finding::worse
                        : moved < -night.tau - rounding ? Finding::better
                                                        : Finding::same;
    judgement.reason = fmt::format(
        "{}: {:+.2f} %, worse counts above {:+.2f} %, better below {:+.2f} %",
        rule.name,
        100 * judgement.change_ratio,
        100 * std::expm1(rule.bar),
        100 * std::expm1(-night.tau));
    if (judgement.finding == Finding::same && is_worse_by_two(night, rule)) {
        judgement.finding = Finding::worse;
        judgement.by_two = true;
        const double before = change_ratio(rule.base, input.history.back(), input.direction);
        judgement.reason += fmt::format(
            "; above what two nights may be, with last night's {:+.2f} %", 100 * before);
    }
    return judgement;
}

}  // namespace

NightJudgement judge_night(const NightInput& input) {
    if (input.tonight.empty() || !(input.threshold > 0)) {
        throw Error(
            Errc::invalid_argument,
            "judging a night: it needs at least one value and a threshold above 0");
    }
    require_positive(input.tonight, "tonight");
    require_positive(input.history, "the history");

    const double value = stats::median(input.tonight);
    const Night night{input, value, badness(value, input.direction), std::log1p(input.threshold)};
    if (const auto rule = rolling_rule(night)) return judge(night, *rule);
    NightJudgement unknown;
    unknown.value = value;
    unknown.reason = "nothing to compare with: this is the first night of its level";
    return unknown;
}

}  // namespace vigil::detect
