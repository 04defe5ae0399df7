#include "bisect/trend/scale.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bisect/stats/summary.hpp"

namespace vigil::trend {

namespace {

constexpr double below_smallest = 7;  // in logarithms: a thousandth

}  // namespace

double Scale::level_of(double value) const {
    if (!is_logarithmic()) return sign_ * std::clamp(value / unit_, -most_level, most_level);
    return sign_ * (value > 0 ? std::log(value) : std::log(smallest_) - below_smallest);
}

double Scale::value_of(double level) const {
    return is_logarithmic() ? std::exp(sign_ * level) : sign_ * level * unit_;
}

void Scale::use_shares_of(std::span<const double> values) {
    std::vector<double> sizes;
    sizes.reserve(values.size());
    for (const double value : values) sizes.push_back(std::abs(value));
    unit_ = stats::median(sizes);
    if (!(unit_ > 0)) unit_ = sizes.empty() ? 1 : *std::max_element(sizes.begin(), sizes.end());
    if (!(unit_ > 0)) unit_ = 1;
}

}  // namespace vigil::trend
