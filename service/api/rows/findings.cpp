#include "service/api/rows/findings.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "schema/model/metric.hpp"
#include "schema/model/state_sets.hpp"
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

bool ListedSearch::is_at_work() const {
    return is_one<BisectionState>(state, is_open);
}

const ListedSuspect* WholeSearch::suspect_at(std::int64_t position) const {
    const auto found = std::ranges::find(suspects, position, &ListedSuspect::position);
    return found == suspects.end() ? nullptr : &*found;
}

std::string WholeSearch::revision_at(std::int64_t position) const {
    const auto* suspect = suspect_at(position);
    return suspect == nullptr ? "" : suspect->revision;
}

std::set<std::int64_t> WholeSearch::named() const {
    std::set<std::int64_t> named;
    if (!conclusion) return named;
    for (const auto& [ending, first] : conclusion->endings) {
        if (ending == "culprit") named.insert(first);
    }
    return named;
}

// clang-format off
VIGIL_ROW(RegressionStanding, nightly, state, ended_as)
VIGIL_ROW_OF_BASE(ListedToday, ListedChange, nightly, night)
VIGIL_ROW_OF_BASE(ListedSeriesChange, NamedSeries, series, unit, change_ratio, size, today,
    recovered_nightly)
VIGIL_ROW(RegressionLinks, issue, culprit, range)
VIGIL_ROW_OF_BASE(ListedRegression, RegressionStanding, id, project, good_revision, bad_revision,
    created_at_s, assigned, muted, culprit_commit, series, links)
VIGIL_ROW(ReportName, id, title)
VIGIL_ROW(LastAnswer, by, reason, at_s)
VIGIL_ROW(RegressionProfiles, state, flame)
VIGIL_ROW(RegressionRevertCheck, state, words, request)
VIGIL_ROW_OF_BASE(WholeRegression, ListedRegression, bisection, culprit, reason, answer, reports,
    missed, why, revert)
VIGIL_ROW(ListedSearch, id, project, kind, state, good_revision, bad_revision, created_at_s,
    ended_at_s)
VIGIL_ROW(SearchEnding, ending, first)
VIGIL_ROW(SearchConclusion, endings)
VIGIL_ROW(ListedSuspect, position, revision, subject, author, stands_for)
VIGIL_ROW(ProbePlan, purpose, why, commits)
VIGIL_ROW(ListedObservation, run, revision, outcome, log, series, value)
VIGIL_ROW(ListedProbe, number, state, plan, job_state, worker, machine_class, begun_at_s,
    ended_at_s, observations)
VIGIL_ROW_OF_BASE(WholeSearch, ListedSearch, nightly, outer, merge, dependency, conclusion,
    log_tail, regressions, inner, suspects, probes)
VIGIL_ROW(ListedReport, version, created_at_s, body)
VIGIL_ROW(ListedEvent, at_s, kind, message)
VIGIL_ROW(ListedMute, regression, until_s)
VIGIL_ROW(ListedMissed, id, nightly, series, by, night, state, message, commit, regression)
VIGIL_ROW(ListedTrouble, subject, message, since_s, kind)
// clang-format on

}  // namespace vigil::service
