#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace vigil::service {

/// How values are laid along an axis.
enum class AxisScale { linear, log };

/// A vertical axis whose ticks are round numbers, `height` units of a drawing high. A pure value.
struct ChartAxis {
    double bottom = 0;
    double top = 1;
    double step = 1;
    double height = 300;
    AxisScale scale = AxisScale::linear;

    /// Distance from the top.
    double place_of(double value) const;
};

/// The unit of values that are shares of another: ticks are "+5.0 %".
inline constexpr const char* relative_unit = "ratio";

/// An axis that holds all of these values with some room.
/// @param unit   of the values, as it is read: bytes have ticks in powers of two
/// @param scale  log only where `low` is above 0, else linear
ChartAxis axis_of(double low, double high, const std::string& unit, AxisScale scale, double height);

/// Its ticks from the top, each with its words and its place.
nlohmann::json ticks_of(const ChartAxis& axis, const std::string& unit);

/// A value as its axis tells it.
std::string value_words(double value, const std::string& unit);

/// "12.3" of a place in a drawing; ".3" of one below 1.
std::string coordinate(double value);
/// Adds it to the path of a line.
void add_coordinate(std::string& path, double value);

}  // namespace vigil::service
