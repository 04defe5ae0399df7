#include "bisect/trend/rivals.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bisect/stats/summary.hpp"

namespace vigil::trend {

namespace {

/// The supposed new level relative to the old one, up in the direction looked at.
std::vector<double> relative(
    const Background& before, std::span<const double> nights, double sign) {
    std::vector<double> steps;
    for (const double level : nights) steps.push_back(sign * (level - before.middle));
    return steps;
}

double density_gain(
    const Background& before,
    std::span<const double> steps,
    double step,
    double sign,
    const LevelWatchRules& rules) {
    double gain = 0;
    for (const double q : steps) {
        gain += before.log_density(q - step, sign, rules) - before.log_density(q, sign, rules);
    }
    return gain;
}

}  // namespace

Contest contest(
    const Background& before,
    std::span<const double> nights,
    double sign,
    const LevelWatchRules& rules) {
    const auto steps = relative(before, nights, sign);
    Contest result;
    result.step = stats::median(steps);
    const double error = before.spread / std::sqrt(static_cast<double>(steps.size()));
    if (result.step < std::log1p(rules.least_ratio) || result.step <= 2 * error) return result;
    // Nights that resemble each other say less (Bayley and Hammersley 1946).
    const double independent = std::sqrt((1 - before.correlation) / (1 + before.correlation));
    result.rival = Rival::own_noise;
    result.evidence = independent * density_gain(before, steps, result.step, sign, rules);
    result.needed = rules.needed(steps.size());
    return result;
}

double shape_score(
    const Background& before, std::span<const double> nights, const LevelWatchRules& rules) {
    const auto steps = relative(before, nights, 1);
    // One or two values have a mean, more of them a median.
    const double step = steps.size() < 3 ? stats::mean(steps) : stats::median(steps);
    if (step < std::log1p(rules.least_ratio)) return 0;
    return std::max(0.0, density_gain(before, steps, step, 1, rules));
}

}  // namespace vigil::trend
