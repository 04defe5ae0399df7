#include "bisect/detect/noise.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "bisect/detect/rules.hpp"
#include "bisect/stats/distribution.hpp"
#include "bisect/stats/summary.hpp"
#include "schema/model/error.hpp"

namespace vigil::detect {

namespace {

constexpr int level_sweeps = 12;          // by which the level no longer moves
constexpr double median_of_three = 0.67;  // its spread, for Gaussian runs of spread 1

/// Upper quartile of the range of r standard Gaussian runs.
double usual_range(std::size_t r) {
    constexpr std::array known{1.63, 2.24, 2.61, 2.87, 3.07, 3.23, 3.37, 3.49, 3.59};
    return known[std::min(r - 2, known.size() - 1)];
}

/// The root of the tail above the middle over the tail below, both cut where outliers begin.
/// @source  Fernandez and Steel 1998: two halves whose scales differ by its square
double skew_of(const std::vector<double>& above, const std::vector<double>& below) {
    if (above.size() < rule.baseline_nights) return 1;
    std::vector<double> ranges;
    for (std::size_t i = 0; i < above.size(); ++i) ranges.push_back(above[i] + below[i]);
    const double cut = rule.surely * stats::median(ranges);
    double up = 0, down = 0;
    for (std::size_t i = 0; i < above.size(); ++i) {
        up += std::min(above[i], cut);
        down += std::min(below[i], cut);
    }
    if (!(up > 0 && down > 0)) return 1;
    return std::clamp(std::sqrt(up / down), 0.5, 2.0);
}

/// Lag-one autocorrelation with outliers cut, corrected for the few nights it is seen over.
/// @source  Kendall 1954, "Note on bias in the estimation of autocorrelation"
double memory_of(std::span<const double> levels, double middle, double spread) {
    if (levels.size() < rule.baseline_nights || !(spread > 0)) return 0;
    double products = 0, squares = 0, before = 0;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const double away =
            std::clamp(levels[i] - middle, -rule.surely * spread, rule.surely * spread);
        if (i > 0) products += away * before;
        squares += away * away;
        before = away;
    }
    if (!(squares > 0)) return 0;
    const auto nights = static_cast<double>(levels.size());
    // A correlation of n values is seen too small by about (1 + 4 r) / n (Marriott and Pope 1954).
    return std::clamp((nights * products / squares + 1) / (nights - 4), 0.0, rule.stays);
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
        if (night.runs < 3) continue;  // two runs lie even about their middle
        above.push_back(night.above);
        below.push_back(night.below);
    }
    if (ranges.size() < rule.few) return {};
    // The upper quartile: the middle range is blind to a second mode.
    return {std::max(stats::quantile(ranges, 0.75), rule.least_spread), skew_of(above, below)};
}

double side_variance(double residual, double variance, double skew) {
    return residual > 0 ? variance * skew * skew : variance / (skew * skew);
}

double level_of(std::span<const double> runs, const RunNoise& noise) {
    VIGIL_ASSERT(!runs.empty());
    double level = stats::median(runs);
    if (!(noise.spread > 0)) return level;
    const double variance = std::pow(stats::t4_scale * noise.spread, 2);
    for (int sweep = 0; sweep < level_sweeps; ++sweep) {
        double sum = 0, weights = 0;
        for (const double run : runs) {
            const double r = run - level;
            const double side = side_variance(r, variance, noise.skew);
            const double weight = 1 / (4 * side + r * r);  // t4_weight, but for a factor
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
        case 3: return level_of(std::array{low, middle, high}, noise);  // all of them
        default: return std::nullopt;
    }
}

SeriesNoise learn_series_noise(std::span<const double> levels, const RunNoise& run) {
    const auto recent = levels.last(std::min(levels.size(), rule.noise_nights));
    SeriesNoise noise;
    noise.run = run;
    noise.middle = stats::median(recent);
    const double spread = stats::spread(recent, noise.middle);
    noise.night = std::max({spread, median_of_three * run.spread, rule.least_spread});
    noise.memory = recent.empty() ? 0 : memory_of(recent, noise.middle, spread);
    return noise;
}

}  // namespace vigil::detect
