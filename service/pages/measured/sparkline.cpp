#include "service/pages/measured/sparkline.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "service/chart/axis.hpp"

namespace vigil::service {

namespace {

constexpr double spark_width = 100;
constexpr double spark_height = 20;
constexpr double spark_edge = 1;

/// Nothing for fewer than two values.
std::optional<chart::ValueRange> range_of(std::span<const double> values) {
    chart::ValueRange range;
    int count = 0;
    for (const double value : values) {
        if (!std::isfinite(value)) continue;
        range.add(value);
        ++count;
    }
    if (count < 2) return std::nullopt;
    // What hardly moves is a calm line in the middle: the height stands for 4 % at least.
    const double height = range.high - range.low;
    const double spare = std::max((std::abs(range.high) * 0.04 - height) / 2, 1e-300);
    range.low -= spare > 1e-300 ? spare : 0;
    range.high += spare;
    return range;
}

long y_of(const chart::ValueRange& range, double value) {
    const double share = std::clamp(range.share_of(value), 0.0, 1.0);
    return std::lround(spark_edge + (spark_height - 2 * spark_edge) * (1 - share));
}

}  // namespace

std::string sparkline(std::span<const double> values) {
    const auto range = range_of(values);
    if (!range) return "";
    std::string line;
    bool is_drawn = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool measured = std::isfinite(values[i]);
        if (measured) {
            const auto x = std::lround(
                spark_width * static_cast<double>(i) / static_cast<double>(values.size() - 1));
            line += fmt::format("{}{} {}", is_drawn ? "L" : "M", x, y_of(*range, values[i]));
        }
        is_drawn = measured;
    }
    return line;
}

std::string sparkline_place(std::span<const double> values, double value) {
    const auto range = range_of(values);
    return range ? std::to_string(y_of(*range, value)) : "";
}

}  // namespace vigil::service
