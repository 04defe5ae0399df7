#include "service/pages/chart.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/text/numbers.hpp"
#include "service/pages/common/render.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr double chart_width = 1000;
constexpr double chart_height = 300;
constexpr double wanted_steps = 4;

/// Bottom, top and step of an axis whose ticks are round numbers.
struct Axis {
    double bottom = 0;
    double top = 1;
    double step = 1;

    double height_of(double value) const {
        return chart_height * (1 - (value - bottom) / (top - bottom));
    }
};

/// A round number of at least `raw`, of the unit that is read: bytes are told in powers of two.
double round_step(double raw, const std::string& unit) {
    if (unit == "bytes") return std::exp2(std::ceil(std::log2(raw)));
    const double size = std::pow(10, std::floor(std::log10(raw)));
    for (const double times : {1, 2, 5}) {
        if (raw <= times * size) return times * size;
    }
    return 10 * size;
}

Axis axis_of(double low, double high, const std::string& unit) {
    // A series without noise is a line in the middle, not on an edge.
    const double least = std::max(std::abs(high), std::abs(low)) * 0.02;
    const double spare = std::max({(high - low) * 0.05, (least - (high - low)) / 2, 1e-12});
    low -= spare;
    high += spare;
    const double step = round_step((high - low) / wanted_steps, unit);
    return {std::floor(low / step) * step, std::ceil(high / step) * step, step};
}

std::string coordinate(double value) {
    return fmt::format("{:.1f}", value);
}

json ticks_of(const Axis& axis, const std::string& unit) {
    auto ticks = json::array();
    const auto steps = static_cast<int>(std::lround((axis.top - axis.bottom) / axis.step));
    for (int i = steps; i >= 0; --i) {  // from the top
        const double value = axis.bottom + i * axis.step;
        ticks.push_back(
            {{"tick", text::quantity(value, unit)}, {"y", coordinate(axis.height_of(value))}});
    }
    return ticks;
}

json days_of(const std::vector<ChartNight>& nights) {
    auto days = json::array();
    for (const auto at : {std::size_t{0}, nights.size() / 2, nights.size() - 1}) {
        days.push_back({{"day", shown_text(nights[at].name, 16)}});
    }
    return days;
}

}  // namespace

json chart_view(const std::vector<ChartNight>& nights, const std::string& unit) {
    std::optional<double> low;
    std::optional<double> high;
    int measured = 0;
    for (const auto& night : nights) {
        if (!night.value) continue;
        ++measured;
        low = std::min(low.value_or(night.low), night.low);
        high = std::max(high.value_or(night.high), night.high);
    }
    if (measured < 2) return nullptr;
    const auto axis = axis_of(*low, *high, unit);
    auto points = json::array();
    auto marks = json::array();
    std::string line;
    bool is_drawn = false;  // a night that was not measured breaks the line
    for (std::size_t i = 0; i < nights.size(); ++i) {
        const auto& night = nights[i];
        const auto x = coordinate(
            chart_width * (static_cast<double>(i) + .5) / static_cast<double>(nights.size()));
        if (night.regression) marks.push_back({{"x", x}, {"id", *night.regression}});
        if (night.value) {
            const auto y = coordinate(axis.height_of(*night.value));
            line += fmt::format("{}{} {} ", is_drawn ? "L" : "M", x, y);
            points.push_back(
                {{"x", x},
                 {"y", y},
                 {"low", coordinate(axis.height_of(night.low))},
                 {"high", coordinate(axis.height_of(night.high))},
                 {"label",
                  shown_text(night.name, 40) + ": " + text::quantity(*night.value, unit)}});
        }
        is_drawn = night.value.has_value();
    }
    return {
        {"template", "chart.html"},
        {"line", line},
        {"points", points},
        {"marks", marks},
        {"ticks", ticks_of(axis, unit)},
        {"days", days_of(nights)}};
}

}  // namespace vigil::service
