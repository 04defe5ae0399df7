#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schema/http/message.hpp"
#include "schema/model/ids.hpp"
#include "service/store/lists/chart.hpp"

// Series that lie over another one in its chart: the values of its nights, and nothing else.

namespace vigil::service {

/// The series that `with` names, each once: numbers with a comma or a space between them.
/// @throws Error{invalid_argument} for what is no number, or more than nine
std::vector<SeriesId> over_requested(const http::Request& request);

/// Each with its names, and `values`: one for each of the nights, null where it was not measured.
/// @param nights  oldest first
/// @throws Error{not_found} for a series that is none, Error{invalid_argument} for another
/// project's
nlohmann::json over_json(
    Database& db,
    const std::vector<SeriesId>& over,
    std::string_view project,
    const std::vector<ChartNightRow>& nights);

}  // namespace vigil::service
