#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "schema/http/message.hpp"

namespace vigil::service {

/// The nights of a chart as a table, newest first, a hundred at a time: `table` in the address is
/// the newest one that it shows.
/// @param chart  as GET /api/v1/series/{id}/chart answers it
/// @return  rows, what the series over it are called, and the ways to the other nights
nlohmann::json night_table(const http::Request& request, const nlohmann::json& chart);

}  // namespace vigil::service
