#include "service/api/rows/chart.hpp"

#include <nlohmann/json.hpp>

#include "service/api/rows/row_json.hpp"

namespace vigil::service {

void from_json(const nlohmann::json& object, ChartMeasured& measured) {
    if (object.empty()) return;
    object.at("before").get_to(measured.before);
    object.at("after").get_to(measured.after);
    object.at("runs_before").get_to(measured.runs_before);
}

// clang-format off
VIGIL_ROW(ChartSession, nightly, session, verdict, change_ratio, confirmed, size, reason)
VIGIL_ROW(ChartRegression, nightly, state, ended_as, regression, recovered_nightly)
VIGIL_ROW(ChartBaseline, nightly, kind, reason)
VIGIL_ROW(ChartEnvironment, nightly, worker, changed)
VIGIL_ROW(ChartLevel, first, last, value)
VIGIL_ROW(ChartMove, first, before, after, certain)
VIGIL_ROW_OF_BASE(ChartOver, NamedSeries, id, unit, values)
VIGIL_ROW_OF_BASE(ChartFacts, NamedSeries, id, project, unit, direction, judging, older, sessions,
    regressions, baselines, environments, levels, changes, with)

VIGIL_ROW(ToldLine, head, words)
VIGIL_ROW(ToldLoop, lines)
VIGIL_ROW(ToldShape, lines, rivals)
VIGIL_ROW(SeriesNightWhy, loop, shape, asked)
// clang-format on

ChartFacts facts_of(const SeriesChart& chart) {
    return row_of<ChartFacts>(*chart.facts);
}

}  // namespace vigil::service
