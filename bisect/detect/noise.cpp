#include "bisect/detect/noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "bisect/detect/rules.hpp"
#include "bisect/stats/summary.hpp"
#include "schema/model/error.hpp"

namespace vigil::detect {

namespace {

constexpr int level_sweeps = 12;

/// Upper quartile of the range of r standard Gaussian runs.
double usual_range(std::size_t r) {
    constexpr std::array known{1.63, 2.24, 2.61, 2.87, 3.07, 3.23, 3.37, 3.49, 3.59};
    return known[std::min(r - 2, known.size() - 1)];
}

/// The tail above the middle against the tail below, both cut where outliers begin.
double skew_of(const std::vector<double>& above, const std::vector<double>& below) {
    if (above.size() < rule.skew_nights) return 1;
    std::vector<double> ranges;
    for (std::size_t i = 0; i < above.size(); ++i) ranges.push_back(above[i] + below[i]);
    const double cut = rule.skew_cut * stats::median(ranges);
    double up = 0, down = 0;
    for (std::size_t i = 0; i < above.size(); ++i) {
        up += std::min(above[i], cut);
        down += std::min(below[i], cut);
    }
    if (!(up > 0 && down > 0)) return 1;
    // Symmetric runs give ratios up to 1.4 by chance; those cost little.
    const auto turned = [](double ratio) {
        return std::clamp(
            1 + rule.skew_slope * (ratio - rule.skew_by_chance), 1.0, rule.widest_skew);
    };
    return up >= down ? turned(up / down) : 1 / turned(down / up);
}

/// Lag-one autocorrelation with outliers cut, corrected for the few nights it is seen over.
double memory_of(std::span<const double> levels, double middle, double spread) {
    if (levels.size() < rule.memory_nights || !(spread > 0)) return 0;
    double products = 0, squares = 0, before = 0;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const double away =
            std::clamp(levels[i] - middle, -rule.memory_clip * spread, rule.memory_clip * spread);
        if (i > 0) products += away * before;
        squares += away * away;
        before = away;
    }
    return squares > 0 ? std::clamp(
                             rule.memory_slope * products / squares - rule.memory_bias,
                             0.0,
                             rule.most_memory)
                       : 0;
}

}  // namespace

double badness(double value, Direction direction) {
    const double z = log_of(value);
    return direction == Direction::lower_is_better ? z : -z;
}

RunScatter scatter_of(std::span<const double> runs) {
    const auto [low, high] = std::minmax_element(runs.begin(), runs.end());
    const double middle = stats::median(runs);
    RunScatter scatter;
    scatter.runs = static_cast<int>(runs.size());
    scatter.above = static_cast<float>(*high - middle);
    scatter.below = static_cast<float>(middle - *low);
    return scatter;
}

RunNoise learn_run_noise(std::span<const RunScatter> nights) {
    std::vector<double> ranges, above, below;
    for (const auto& night : nights.last(std::min(nights.size(), rule.noise_nights))) {
        if (night.runs < 2) continue;
        const double range = static_cast<double>(night.above) + night.below;
        ranges.push_back(range / usual_range(static_cast<std::size_t>(night.runs)));
        if (night.runs < 3) continue;
        above.push_back(night.above);
        below.push_back(night.below);
    }
    if (ranges.size() < rule.range_nights) return {};
    return {
        std::max(stats::quantile(ranges, rule.range_quantile), rule.least_spread),
        skew_of(above, below)};
}

double side_variance(double residual, double variance, double skew) {
    return residual > 0 ? variance * skew * skew : variance / (skew * skew);
}

double level_of(std::span<const double> runs, const RunNoise& noise) {
    VIGIL_ASSERT(!runs.empty());
    double level = stats::median(runs);
    if (!(noise.spread > 0)) return level;
    const double variance = rule.level_variance * noise.spread * noise.spread;
    for (int sweep = 0; sweep < level_sweeps; ++sweep) {
        double sum = 0, weights = 0;
        for (const double run : runs) {
            const double r = run - level;
            const double side = side_variance(r, variance, noise.skew);
            const double weight = 1 / (4 * side + r * r);
            sum += weight * run;
            weights += weight;
        }
        level = sum / weights;
    }
    return level;
}

std::optional<double> level_of(double middle, const RunScatter& scatter, const RunNoise& noise) {
    const double low = middle - scatter.below;
    const double high = middle + scatter.above;
    switch (scatter.runs) {
        case 1: return middle;
        case 2: return level_of(std::array{low, high}, noise);
        case 3: return level_of(std::array{low, middle, high}, noise);
        default: return std::nullopt;
    }
}

SeriesNoise learn_series_noise(std::span<const double> levels, const RunNoise& run) {
    const auto recent = levels.last(std::min(levels.size(), rule.noise_nights));
    SeriesNoise noise;
    noise.run = run;
    noise.middle = stats::median(recent);
    const double spread = stats::spread(recent, noise.middle);
    noise.night = std::max(
        {rule.night_of_nights * spread, rule.night_of_runs * run.spread, rule.least_spread});
    noise.memory = recent.empty() ? 0 : memory_of(recent, noise.middle, spread);
    return noise;
}

}  // namespace vigil::detect
