#include "bisect/stats/summary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace vigil::stats {

double quantile(std::span<const double> values, double p) {
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    const double position = std::clamp(p, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    const double fraction = position - static_cast<double>(below);
    return sorted[below] + fraction * (sorted[above] - sorted[below]);
}

double median(std::span<const double> values) {
    return quantile(values, 0.5);
}

double spread(std::span<const double> values) {
    if (values.size() < 2) return 0;
    const double middle = median(values);
    std::vector<double> away;
    away.reserve(values.size());
    for (const double value : values) away.push_back(std::abs(value - middle));
    return gaussian_deviation * median(away);
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
