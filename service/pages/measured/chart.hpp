#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "service/pages/measured/charted.hpp"

namespace vigil::service {

/// A chart for chart.html: lines, bands and marks in the units of its drawing, 1000 wide and 300
/// high, which is stretched over its place. Of a long series it draws what a screen can show: the
/// lowest and the highest night of each stretch. A pure function.
/// @return  null where fewer than two nights have a value
nlohmann::json chart_view(const ToldChart& chart, const ChartAxes& axes);

/// What the chart shows, in one or two sentences.
std::string chart_words(const ToldChart& chart);

}  // namespace vigil::service
