#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/metric.hpp"
#include "schema/model/states.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/bisection_records.hpp"

// What a night as a whole asks and does of findings (tables regression, regression_series and
// bisection).

namespace vigil::service {

/// A series of an open regression, with its levels as confirmed.
struct OpenLevel {
    SeriesId series;
    RegressionId regression;
    NightlyId good_nightly;
    double base = 0;        ///< the usual level before it, metric's unit
    std::string confirmed;  ///< JSON: the session's comparison
    Direction direction = Direction::lower_is_better;
};
/// Of regressions that are searched or known, in their order; not of those that no longer run.
std::vector<OpenLevel> list_open_levels(Database& db, ProjectId project);

/// Whatever tells of the regressions that a night found or saw recover is written anew.
void touch_regressions_of(Database& db, NightlyId nightly, std::int64_t now_s);

struct OpenBisection {
    BisectionId id;
    BisectionState state = BisectionState::listing;
};
/// A night's searches that have not ended, in their order.
std::vector<OpenBisection> list_open_bisections(Database& db, NightlyId nightly);

/// Regressions of a night that wait for a search, or are searched.
std::vector<RegressionId> list_unsearched_regressions(Database& db, NightlyId nightly);

struct SearchedRegression {
    RegressionId id;
    bool has_culprit = false;  ///< the merge that is searched inside
};
/// Regressions that a bisection searches, or the one around it.
std::vector<SearchedRegression> list_searched_regressions(Database& db, BisectionId bisection);

/// Fails a bisection whose columns cannot be read: they are written anew. An event does not tell of
/// it.
void fail_unreadable_bisection(
    Database& db, BisectionId bisection, const BisectionConclusion& conclusion, std::int64_t now_s);

}  // namespace vigil::service
