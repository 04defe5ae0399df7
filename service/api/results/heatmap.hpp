#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schema/http/message.hpp"
#include "service/api/common/context.hpp"
#include "service/store/lists/suite.hpp"
#include "service/watch/recover/level_today.hpp"

namespace vigil::service {

/// What became of a benchmark and variant in one night, against another night or machine class.
struct HeatCell {
    std::string benchmark;  ///< with its case
    std::string variant;
    std::string state;       ///< the outcome, or "missing"
    std::string message;     ///< why it did not pass
    std::string base_state;  ///< of the other side
    std::optional<SeriesId> series;
    std::optional<std::string> unit;
    std::optional<double> value, base, change_ratio;
    std::optional<LevelToday> again;  ///< by measuring again, which counts more

    std::optional<double> change() const {
        return again ? std::optional(again->level.change_ratio) : change_ratio;
    }
};

/// A night on a machine class.
struct HeatNight {
    ChartNightRow night;
    std::string machine_class;
};

struct HeatMap {
    std::string project;
    Metric metric = Metric::cpu_time_ns;
    std::optional<HeatNight> here, against;
    std::vector<HeatCell> cells;
};
/// The night that a request names, else the newest, against what it names, else the night before.
/// @throws Error{invalid_argument}
HeatMap load_heatmap(const http::Request& request, Database& db, const HandlerContext& context);

}  // namespace vigil::service
