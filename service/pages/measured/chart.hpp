#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "service/pages/measured/axis.hpp"

namespace vigil::service {

/// Whether a chart shows values, or how far each is from the first one of its series.
enum class ChartValues { absolute, relative };

struct ChartAxes {
    AxisScale scale = AxisScale::linear;
    ChartValues values = ChartValues::absolute;
};

/// A chart for chart.html: lines, bands and marks in the units of its drawing, 1000 wide and 300
/// high, which is stretched over its place. A pure function.
/// @param chart  as GET /api/v1/series/{id}/chart answers it
/// @param other  a second series that lies over it, of the same nights; null: none
/// @return  null where fewer than two nights have a value
nlohmann::json chart_view(
    const nlohmann::json& chart, const nlohmann::json& other, const ChartAxes& axes);

/// What the chart shows, in one or two sentences.
std::string chart_words(const nlohmann::json& chart);

}  // namespace vigil::service
