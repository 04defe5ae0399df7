#pragma once

#include <cstdint>
#include <limits>
#include <memory>
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
/// chart draws.
struct WholeNights {
    NightlyId until;        ///< the newest; where all nights are newer, the newest of all
    std::size_t count = 0;  ///< of these and before it
};

/// What is told of a night beside what a chart draws.
struct ToldNight {
    std::string revision;
    std::string before;   ///< revision of the night before; empty: there is none
    std::string commits;  ///< where those between can be looked at; empty: nowhere, or none
    std::string state;
    std::int64_t created_at_s = 0;
    std::vector<double> runs;          ///< those that are judged, the series' unit
    std::vector<std::string> workers;  ///< names, in their order
    double score = std::numeric_limits<double>::quiet_NaN();  ///< NaN: not judged
};

/// A night of a chart. Values are in the series' unit, NaN where there is none.
struct ChartNight {
    static constexpr double none = std::numeric_limits<double>::quiet_NaN();

    NightlyId nightly;
    std::string name;
    double value = none;
    double low = none;                ///< of its runs
    double high = none;               ///< of its runs
    double base = none;               ///< what it was held against
    double limit = none;              ///< beyond it a night is worse by more than the threshold
    std::vector<double> left_out;     ///< runs that nothing is judged by
    std::unique_ptr<ToldNight> told;  ///< null: only what a chart draws
};

struct SeriesChart {
    /// All that GET /api/v1/series/{id}/chart tells but nights; never null.
    std::shared_ptr<nlohmann::json> facts;
    std::vector<ChartNight> nights;  ///< oldest first
};

/// The chart that a request asks for.
/// @param whole  nothing: all nights come whole
/// @throws Error{invalid_argument, not_found}
SeriesChart load_series_chart(
    const http::Request& request,
    Database& db,
    const HandlerContext& context,
    const std::optional<WholeNights>& whole = std::nullopt);

/// The levels of these nights with all of them in view, and the changes between them, as REST
/// shows them: {"levels": [...], "changes": [...]}, both empty of fewer than eight measured ones. A
/// pure function.
/// @source  docs/detection.md, "Whole series"
nlohmann::json levels_json(std::span<const ChartNight> nights, Direction direction);

}  // namespace vigil::service
