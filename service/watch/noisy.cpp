#include "service/watch/noisy.hpp"

#include <cmath>
#include <vector>

#include "bisect/stats/summary.hpp"

namespace vigil::service {

bool nights_cannot_tell(std::span<const double> earlier, double threshold) {
    constexpr std::size_t enough_nights = 7;
    constexpr double too_noisy = 0.6;  // of the threshold, as confirmation calls a series noisy
    if (earlier.size() < enough_nights) return true;
    std::vector<double> levels;
    for (const double value : earlier) levels.push_back(std::log(value));
    return stats::spread(levels) > too_noisy * std::log1p(threshold);
}

}  // namespace vigil::service
