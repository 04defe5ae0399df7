#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schema/http/message.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/metric.hpp"
#include "service/api/common/context.hpp"

// A series as its chart shows it.

namespace vigil::service {

/// The nights of a chart that come with all that is told of them; of the others there is what a
/// chart draws (nightly, night, value, low, high, left_out, base, limit).
struct WholeNights {
    NightlyId until;        ///< the newest; where all nights are newer, the newest of all
    std::size_t count = 0;  ///< of these and before it
};

/// What GET /api/v1/series/{id}/chart answers: a page goes on with it, without a text between.
nlohmann::json series_chart(
    const http::Request& request,
    Database& db,
    const HandlerContext& context,
    const std::optional<WholeNights>& whole = std::nullopt);

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
