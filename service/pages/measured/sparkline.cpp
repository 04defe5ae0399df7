#include "service/pages/measured/sparkline.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace vigil::service {

namespace {

constexpr double spark_width = 100;
constexpr double spark_height = 20;
constexpr double spark_edge = 1;

struct SparkRange {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    int count = 0;

    explicit SparkRange(const nlohmann::json& values) {
        for (const auto& value : values) {
            if (!value.is_number()) continue;
            low = std::min(low, value.get<double>());
            high = std::max(high, value.get<double>());
            ++count;
        }
        // What hardly moves is a calm line in the middle: the height stands for 4 % at least.
        const double spare = std::max((std::abs(high) * 0.04 - (high - low)) / 2, 1e-300);
        low -= spare > 1e-300 ? spare : 0;
        high += spare;
    }
    long y_of(double value) const {
        const double share = std::clamp((value - low) / (high - low), 0.0, 1.0);
        return std::lround(spark_edge + (spark_height - 2 * spark_edge) * (1 - share));
    }
};

}  // namespace

std::string sparkline(const nlohmann::json& values) {
    const SparkRange range(values);
    if (range.count < 2) return "";
    std::string line;
    bool is_drawn = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool measured = values[i].is_number();
        if (measured) {
            const auto x = std::lround(
                spark_width * static_cast<double>(i) / static_cast<double>(values.size() - 1));
            line += fmt::format("{}{} {}", is_drawn ? "L" : "M", x, range.y_of(values[i]));
        }
        is_drawn = measured;
    }
    return line;
}

std::string sparkline_place(const nlohmann::json& values, double value) {
    const SparkRange range(values);
    return range.count < 2 ? "" : std::to_string(range.y_of(value));
}

}  // namespace vigil::service
