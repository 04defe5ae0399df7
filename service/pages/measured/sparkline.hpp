#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace vigil::service {

/// The path of a small line through values, 100 wide and 20 high; it breaks where one is null.
/// Empty where fewer than two are numbers. A pure function.
/// @param values  oldest first, numbers or null
std::string sparkline(const nlohmann::json& values);

/// The place of a value in that drawing, from the top; empty where there is no line.
std::string sparkline_place(const nlohmann::json& values, double value);

}  // namespace vigil::service
