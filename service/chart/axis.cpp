#include "service/chart/axis.hpp"

#include <algorithm>
#include <cmath>

namespace vigil::chart {

namespace {

constexpr long most_ticks = 20;

}  // namespace

void ValueRange::add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
}

double ValueRange::share_of(double value) const {
    const double height = high / 2 - low / 2;
    return height > 0 ? (value / 2 - low / 2) / height : 0.5;
}

double round_step(double least, double unit) {
    const double size = unit * std::pow(10, std::floor(std::log10(least / unit)));
    for (const double times : {1, 2, 5}) {
        if (least <= times * size) return times * size;
    }
    return 10 * size;
}

double ChartAxis::place_of(double value) const {
    const bool is_log = scale == AxisScale::log && bottom > 0;
    const double share = is_log ? std::log(value / bottom) / std::log(top / bottom)
                                : (value - bottom) / (top - bottom);
    return height * (1 - share);
}

std::vector<double> ChartAxis::ticks() const {
    std::vector<double> ticks;
    const auto steps = std::clamp(std::lround((top - bottom) / step), 1L, most_ticks);
    for (auto i = steps; i >= 0; --i) {
        const double share = static_cast<double>(i) / static_cast<double>(steps);
        ticks.push_back(
            scale == AxisScale::linear ? bottom + static_cast<double>(i) * step
                                       : bottom * std::pow(top / bottom, share));
    }
    return ticks;
}

ChartAxis axis_of_steps(double low, double high, double step, double height) {
    return {std::floor(low / step) * step, std::ceil(high / step) * step, step, height};
}

}  // namespace vigil::chart
