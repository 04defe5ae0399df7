#include "service/pages/measured/axis.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"

namespace vigil::service {

namespace {

constexpr double wanted_steps = 4;
constexpr double farthest = 1e6;  // a coordinate: out of every drawing

/// A round number of at least `raw`, of the unit that is read: bytes are told in powers of two.
double round_step(double raw, const std::string& unit) {
    if (unit == "bytes") return std::exp2(std::ceil(std::log2(raw)));
    const double size = std::pow(10, std::floor(std::log10(raw)));
    for (const double times : {1, 2, 5}) {
        if (raw <= times * size) return times * size;
    }
    return 10 * size;
}

}  // namespace

double ChartAxis::place_of(double value) const {
    const bool is_log = scale == AxisScale::log && bottom > 0;
    const double share = is_log ? std::log(value / bottom) / std::log(top / bottom)
                                : (value - bottom) / (top - bottom);
    return height * (1 - share);
}

ChartAxis axis_of(
    double low, double high, const std::string& unit, AxisScale scale, double height) {
    // A series without noise is a line in the middle, not on an edge.
    const double size = unit == relative_unit ? 1 : std::max(std::abs(high), std::abs(low));
    const double least = size * 0.02;
    const double spare = std::max({(high - low) * 0.05, (least - (high - low)) / 2, 1e-12});
    const double lowest = low;
    low -= spare;
    high += spare;
    const double step = round_step((high - low) / wanted_steps, unit);
    ChartAxis axis{
        std::floor(low / step) * step, std::ceil(high / step) * step, step, height, scale};
    if (scale == AxisScale::linear) return axis;
    if (!(lowest > 0)) {
        axis.scale = AxisScale::linear;
    } else if (!(axis.bottom > 0)) {
        axis.bottom = lowest * 0.9;
    }
    return axis;
}

nlohmann::json ticks_of(const ChartAxis& axis, const std::string& unit) {
    auto ticks = nlohmann::json::array();
    const auto add = [&](double value) {
        ticks.push_back(
            {{"tick", value_words(value, unit)}, {"y", coordinate(axis.place_of(value))}});
    };
    const bool is_even = axis.scale == AxisScale::linear;
    const auto steps = std::clamp(std::lround((axis.top - axis.bottom) / axis.step), 1L, 20L);
    for (auto i = steps; i >= 0; --i) {  // from the top
        const double share = static_cast<double>(i) / static_cast<double>(steps);
        // Evenly placed, too, where the scale is not: what is read beside them is then not round.
        add(is_even ? axis.bottom + static_cast<double>(i) * axis.step
                    : axis.bottom * std::pow(axis.top / axis.bottom, share));
    }
    return ticks;
}

std::string value_words(double value, const std::string& unit) {
    return unit == relative_unit ? text::percent(value) : text::quantity(value, unit);
}

void add_coordinate(std::string& path, double value) {
    std::array<char, 24> text;
    const auto tenths = std::llround(std::clamp(value, -farthest, farthest) * 10);
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), tenths);
    path.append(text.data(), end - 1);
    path += '.';
    path += end[-1];
}

std::string coordinate(double value) {
    std::string text;
    add_coordinate(text, value);
    return text;
}

}  // namespace vigil::service
