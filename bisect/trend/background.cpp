#include "bisect/trend/background.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "bisect/stats/summary.hpp"

namespace vigil::trend {

namespace {

constexpr std::size_t local_nights = 12;
constexpr double kernel_share = 0.5;  // width of a kernel, in spreads

/// The median; reorders its argument.
double take_median(std::vector<double>& values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// Of neighbouring residuals, outliers cut.
double neighbour_correlation(const std::vector<double>& residuals, double spread) {
    double squares = 0, products = 0, last = 0;
    for (const double residual : residuals) {
        const double r = std::clamp(residual, -3 * spread, 3 * spread);
        squares += r * r;
        products += r * last;
        last = r;
    }
    return squares > 0 ? std::clamp(products / squares, 0.0, 0.9) : 0;
}

}  // namespace

double log_heavy(double z) {
    return -2.5 * std::log1p(z * z / 4);
}

double Background::log_density(double x, double sign, const LevelWatchRules& rules) const {
    const double width = kernel_share * spread;
    const double scale = 1 / (2 * width);
    // Side by side, in pieces that a compiler can take at once: here a night spends its time.
    constexpr std::size_t piece = 8;
    std::array<double, piece> sums{};
    const auto kernel = [&](double residual) {
        const double z = (x - sign * residual) * scale;
        const double t = 1 + z * z;
        return 1 / (t * t * std::sqrt(t));
    };
    std::size_t i = 0;
    for (; i + piece <= residuals.size(); i += piece) {
        for (std::size_t j = 0; j < piece; ++j) sums[j] += kernel(residuals[i + j]);
    }
    double sum = 0;
    for (; i < residuals.size(); ++i) sum += kernel(residuals[i]);
    for (const double part : sums) sum += part;
    sum *= 0.375 / width;
    const double wide_scale = std::max(rules.background_width, 3 * spread);
    const double ratio = x / wide_scale;
    sum += rules.background / (std::numbers::pi * wide_scale * (1 + ratio * ratio));
    return std::log(sum / (static_cast<double>(residuals.size()) + rules.background));
}

Background background_before(
    const Kept& kept, std::size_t end, double middle, int nights, const LevelWatchRules& rules) {
    Background b;
    b.middle = middle;
    b.nights = nights;
    b.residuals.reserve(end);
    std::vector<double> scratch;
    scratch.reserve(end);
    for (std::size_t i = 0; i < end; ++i) {
        const double r = i < kept.begin ? kept.residual[i] : kept.level[i] - middle;
        b.residuals.push_back(r);
        scratch.push_back(std::abs(r));
        b.largest = std::max(b.largest, std::abs(r));
    }
    const double by_level = stats::gaussian_deviation * take_median(scratch);
    scratch.clear();
    for (std::size_t i = 1; i < end; ++i) {
        if (kept.after_border[i] == 0)
            scratch.push_back(std::abs(kept.level[i] - kept.level[i - 1]));
    }
    const double by_difference =
        stats::gaussian_deviation * take_median(scratch) / std::numbers::sqrt2;
    const double whole = std::max({by_level, by_difference, rules.least_spread});
    scratch.clear();
    b.level_nights = end - kept.begin;
    for (std::size_t i = end - std::min(local_nights, b.level_nights); i < end; ++i) {
        scratch.push_back(std::abs(kept.level[i] - middle));
    }
    b.spread =
        std::max(whole, rules.local_share * stats::gaussian_deviation * take_median(scratch));
    b.correlation = neighbour_correlation(b.residuals, b.spread);
    const auto beyond = std::count_if(
        b.residuals.begin(), b.residuals.end(), [&](double r) { return std::abs(r) > 4 * whole; });
    b.wide = (static_cast<double>(beyond) + 0.5) / (static_cast<double>(end) + 25);
    return b;
}

}  // namespace vigil::trend
