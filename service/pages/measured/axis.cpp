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

}  // namespace

chart::ChartAxis axis_of(
    chart::ValueRange range, const std::string& unit, chart::AxisScale scale, double height) {
    auto [low, high] = range;
    // A series without noise is a line in the middle, not on an edge.
    const double size = unit == relative_unit ? 1 : std::max(std::abs(high), std::abs(low));
    const double least = size * 0.02;
    const double spare = std::max({(high - low) * 0.05, (least - (high - low)) / 2, 1e-12});
    low -= spare;
    high += spare;
    const double raw = (high - low) / wanted_steps;
    // Bytes are told in powers of two.
    const double step =
        unit == "bytes" ? std::exp2(std::ceil(std::log2(raw))) : chart::round_step(raw);
    auto axis = chart::axis_of_steps(low, high, step, height);
    if (scale == chart::AxisScale::linear || !(range.low > 0)) return axis;
    axis.scale = scale;
    if (!(axis.bottom > 0)) axis.bottom = range.low * 0.9;
    return axis;
}

nlohmann::json ticks_of(const chart::ChartAxis& axis, const std::string& unit) {
    auto ticks = nlohmann::json::array();
    for (const double value : axis.ticks()) {
        ticks.push_back(
            {{"tick", value_words(value, unit)}, {"y", coordinate(axis.place_of(value))}});
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
