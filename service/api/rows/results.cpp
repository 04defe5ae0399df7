#include "service/api/rows/results.hpp"

#include <nlohmann/json.hpp>

#include "service/api/rows/row_json.hpp"

namespace vigil::service {

// clang-format off
VIGIL_ROW(ProjectsNight, id)
VIGIL_ROW(ListedProject, name, newest_nightly)
VIGIL_ROW(ListedNightly, id, name, state, beside, backfill)
VIGIL_ROW(WeekText, project, body)
VIGIL_ROW_OF_BASE(ListedSeries, NamedSeries, id, project, unit)
VIGIL_ROW(ListedRun, id)
VIGIL_ROW(RunMeasurement, series, median, samples)
VIGIL_ROW_OF_BASE(WholeRun, ListedRun, purpose, revision, outcome, worker, message, log,
    measurements, facts)
VIGIL_ROW(ListedRequest, id, project, kind, state, a, b, by, message, a_revision, b_revision, runs,
    most_runs, bisection, ended_at_s, created_at_s)
VIGIL_ROW(RequestedVerdict, series, metric, unit, reason, verdict, comparison)
VIGIL_ROW(RequestedRun, revision, outcome, metric, value)
VIGIL_ROW(RequestedSession, benchmark, variant, machine_class, message, verdicts, runs)
VIGIL_ROW_OF_BASE(WholeRequest, ListedRequest, culprit, sessions)
// clang-format on

}  // namespace vigil::service
