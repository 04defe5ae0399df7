#include "service/api/rows/findings.hpp"

#include <nlohmann/json.hpp>

#include "schema/model/metric.hpp"
#include "schema/model/states.hpp"
#include "service/api/rows/row_json.hpp"

namespace vigil::service {

bool RegressionStanding::holds() const {
    return standing() != to_string(RegressionState::refuted) &&
           standing() != to_string(RegressionEnd::not_reproduced);
}

std::optional<double> ListedSeriesChange::worse() const {
    return size ? size->change_ratio.value_or(from_zero) : change_ratio;
}

const ListedSeriesChange* ListedRegression::worst() const {
    const ListedSeriesChange* worst = nullptr;
    for (const auto& one : series) {
        if (one.worse() && (worst == nullptr || *worst->worse() < *one.worse())) worst = &one;
    }
    return worst;
}

VIGIL_ROW(RegressionStanding, nightly, state, ended_as)
VIGIL_ROW_OF_BASE(ListedSize, ListedChange, before, after)
VIGIL_ROW_OF_BASE(ListedToday, ListedChange, nightly, night)
VIGIL_ROW_OF_BASE(
    ListedSeriesChange, NamedSeries, series, unit, change_ratio, size, today, recovered_nightly)
VIGIL_ROW(ListedCommit, revision, subject, author)
VIGIL_ROW(RegressionLinks, issue, culprit, range)
VIGIL_ROW_OF_BASE(
    ListedRegression,
    RegressionStanding,
    id,
    project,
    good_revision,
    bad_revision,
    created_at_s,
    assigned,
    muted,
    culprit_commit,
    series,
    links)
VIGIL_ROW(ReportName, id, title)
VIGIL_ROW(LastAnswer, by, reason, at_s)
VIGIL_ROW_OF_BASE(
    WholeRegression, ListedRegression, bisection, culprit, reason, answer, reports, missed)
VIGIL_ROW(ListedReport, version, created_at_s, body)
VIGIL_ROW(ListedEvent, at_s, kind, message)
VIGIL_ROW(ListedMute, regression, until_s)
VIGIL_ROW(ListedMissed, by, night, commit)
VIGIL_ROW(ListedTrouble, subject, message, since_s)

}  // namespace vigil::service
