#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace vigil::service {

/// One night of a series, as a chart draws it.
struct ChartNight {
    std::string name;             ///< of the night
    std::optional<double> value;  ///< the series' unit; nothing: not measured
    double low = 0;               ///< of what was measured in it
    double high = 0;
    std::optional<std::int64_t> regression = {};  ///< one that begins with it
};

/// A chart for chart.html: points, whiskers and ticks in the units of its drawing, 1000 wide and
/// 300 high, which is stretched over its place. A pure function.
/// @param nights  oldest first
/// @param unit    of the values
/// @return  null where fewer than two nights have a value
nlohmann::json chart_view(const std::vector<ChartNight>& nights, const std::string& unit);

}  // namespace vigil::service
