#include "worker/bench/suite/speedup.hpp"

#include <algorithm>
#include <cmath>

namespace vigil_bench {

TurnsSpeedup speedup_in_turns(const std::vector<double>& base, const std::vector<double>& other) {
    constexpr double quantile = 1.959964;  // of the normal, two-sided at 95 %
    std::vector<double> ratios;
    for (std::size_t i = 0; i < std::min(base.size(), other.size()); ++i) {
        ratios.push_back(base[i] / other[i]);
    }
    std::sort(ratios.begin(), ratios.end());
    const auto count = static_cast<double>(ratios.size());
    const std::size_t half = ratios.size() / 2;
    // So many ratios lie below the interval, and above it, with 2.5 % chance each.
    const double outside = count / 2 - quantile * std::sqrt(count) / 2 - 1;
    const auto first = static_cast<std::size_t>(std::max(0.0, std::floor(outside)));
    const double middle =
        ratios.size() % 2 == 1 ? ratios[half] : (ratios[half - 1] + ratios[half]) / 2;
    return {middle, ratios[first], ratios[ratios.size() - 1 - first], static_cast<int>(count)};
}

}  // namespace vigil_bench
