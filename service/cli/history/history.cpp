#include "service/cli/history/history.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "bisect/stats/summary.hpp"

namespace vigil::cli {

double median_of_measured(std::span<const double> values) {
    std::vector<double> measured;
    std::copy_if(values.begin(), values.end(), std::back_inserter(measured), [](double value) {
        return std::isfinite(value);
    });
    return stats::median(measured);
}

std::vector<double> History::samples_of(std::size_t i) const {
    const auto several = samples.find(i);
    if (several != samples.end()) return several->second;
    return std::isfinite(values[i]) ? std::vector{values[i]} : std::vector<double>{};
}

bool History::moves_at(std::size_t i) const {
    if (environments.empty() || environments[i].empty()) return false;
    for (std::size_t before = i; before-- > 0;) {
        if (!environments[before].empty()) return environments[before] != environments[i];
    }
    return false;
}

}  // namespace vigil::cli
