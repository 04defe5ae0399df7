#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "schema/http/message.hpp"
#include "service/pages/measured/charted.hpp"

namespace vigil::service {

/// The nights of its table that the address of a series asks for: a hundred, up to the night that
/// `table` names.
/// @throws Error{invalid_argument} where that is no number
WholeNights table_requested(const http::Request& request);

/// The nights of a chart as a table, newest first.
/// @param chart  as load_series_chart gives it with table_requested
/// @return  rows, what the series over it are called, and the ways to the other nights
nlohmann::json night_table(const http::Request& request, const ToldChart& chart);

}  // namespace vigil::service
