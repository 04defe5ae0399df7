#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schema/http/message.hpp"
#include "schema/model/metric.hpp"
#include "service/api/common/context.hpp"

// A series as its chart shows it.

namespace vigil::service {

/// What GET /api/v1/series/{id}/chart answers: a page goes on with it, without a text between.
nlohmann::json series_chart(
    const http::Request& request, Database& db, const HandlerContext& context);

/// One night of a chart, oldest first.
struct ChartValue {
    std::int64_t nightly = 0;
    double value = 0;  ///< the series' unit; NaN: not measured
};

/// The levels of these nights with all of them in view, and the changes between them, as REST
/// shows them: {"levels": [...], "changes": [...]}. A pure function.
/// @source  docs/detection.md, "Whole series"
nlohmann::json levels_json(std::span<const ChartValue> nights, Direction direction);

}  // namespace vigil::service
