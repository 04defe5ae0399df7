#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "service/chart/axis.hpp"

namespace vigil::service {

/// The unit of values that are shares of another: ticks are "+5.0 %".
inline constexpr const char* relative_unit = "ratio";

/// An axis that holds all of these values with some room.
/// @param unit   of the values, as it is read: bytes have ticks in powers of two
/// @param scale  log only where all are above 0, else linear
chart::ChartAxis axis_of(
    chart::ValueRange range, const std::string& unit, chart::AxisScale scale, double height);

/// Its ticks from the top, each with its words and its place.
nlohmann::json ticks_of(const chart::ChartAxis& axis, const std::string& unit);

/// A value as its axis tells it.
std::string value_words(double value, const std::string& unit);

/// "12.3" of a place in a drawing; ".3" of one below 1.
std::string coordinate(double value);
/// Adds it to the path of a line.
void add_coordinate(std::string& path, double value);

}  // namespace vigil::service
