#pragma once

#include <span>
#include <string>

namespace vigil::service {

/// The path of a small line through values, 100 wide and 20 high; it breaks where one is NaN.
/// Empty where fewer than two are numbers. A pure function.
/// @param values  oldest first; NaN: not measured
std::string sparkline(std::span<const double> values);

/// The place of a value in that drawing, from the top; empty where there is no line.
std::string sparkline_place(std::span<const double> values, double value);

}  // namespace vigil::service
