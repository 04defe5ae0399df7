#include "bisect/stats/summary.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace vigil::stats {

namespace {

/// As quantile, of a copy whose order does not matter.
double part(std::span<double> values, double p) {
    const double position = std::clamp(p, 0.0, 1.0) * static_cast<double>(values.size() - 1);
    const auto whole = static_cast<std::size_t>(position);
    const auto below = values.begin() + static_cast<std::ptrdiff_t>(whole);
    std::nth_element(values.begin(), below, values.end());
    const auto above = std::min_element(below + 1, values.end());
    if (above == values.end()) return *below;
    return *below + (position - static_cast<double>(whole)) * (*above - *below);
}

}  // namespace

double quantile(std::span<const double> values, double p) {
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    // Runs and nights are few: of these no memory is asked for.
    std::array<double, 64> few;
    if (values.size() <= few.size()) {
        std::ranges::copy(values, few.begin());
        return part(std::span(few).first(values.size()), p);
    }
    std::vector<double> many(values.begin(), values.end());
    return part(many, p);
}

double median(std::span<const double> values) {
    return quantile(values, 0.5);
}

double spread(std::span<const double> values) {
    return spread(values, median(values));
}

double spread(std::span<const double> values, double middle) {
    if (values.size() < 2) return 0;
    std::vector<double> away;
    away.reserve(values.size());
    for (const double value : values) away.push_back(std::abs(value - middle));
    return gaussian_deviation * median(away);
}

double spread_of_steps(std::span<const double> values) {
    if (values.size() < 2) return 0;
    std::vector<double> steps;
    steps.reserve(values.size());
    for (std::size_t i = 1; i < values.size(); ++i) {
        steps.push_back(std::abs(values[i] - values[i - 1]));
    }
    return gaussian_deviation * median(steps) / std::numbers::sqrt2;
}

double mean(std::span<const double> values) {
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

double trimmed_mean(std::span<const double> values, double share) {
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    const auto left_out = static_cast<std::size_t>(share * static_cast<double>(sorted.size()));
    return mean(std::span(sorted).subspan(left_out, sorted.size() - 2 * left_out));
}

}  // namespace vigil::stats
