#pragma once

#include <optional>
#include <string>
#include <vector>

#include "schema/model/comparison.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/metric.hpp"
#include "service/store/database.hpp"

// The rows of `regression_series`: which series a regression holds, by which suspicion of each, and
// since which nightly a series is back.

namespace vigil::service {

struct HeldSeries {
    SeriesId series;
    std::optional<NightlyId> recovered;  ///< the nightly that was measured as back
};
std::vector<HeldSeries> list_held_series(Database& db, RegressionId regression);

/// What was measured of a regression's series.
struct MeasuredChange {
    NightlyId nightly;        ///< of the suspicion
    bool by_outcome = false;  ///< it no longer ran
    double base = 0;          ///< of the level before, the metric's unit
    Direction direction = Direction::lower_is_better;
    Comparison confirmed;  ///< by its session; runs_after 0: nothing
    Comparison verified;   ///< by the search; runs_after 0: nothing
};
/// @throws Error{invalid_argument} when a comparison cannot be read
std::optional<MeasuredChange> find_change(Database& db, RegressionId regression, SeriesId series);

/// Whether a search verified the change of any of its series.
bool has_verified(Database& db, RegressionId regression);

/// A series of an open regression.
struct OpenChange {
    RegressionId regression;
    NightlyId good_nightly;  ///< it was held against
    double base = 0;         ///< of the level before, the metric's unit
    Direction direction = Direction::lower_is_better;
};
/// The open regressions in which a series is not back, in the order they came.
std::vector<OpenChange> list_open_changes(Database& db, SeriesId series);

/// A series of an open regression, with its levels as confirmed.
struct OpenLevel {
    SeriesId series;
    OpenChange change;
    std::string confirmed;  ///< the session's Comparison, see json_columns.hpp
};
/// Of regressions that are searched or known, in their order; not of those that no longer run.
std::vector<OpenLevel> list_open_levels(Database& db, ProjectId project);

struct OpenSeries {
    RegressionId regression;
    SeriesId series;
};
/// Of earlier nights' open regressions: series that no longer ran, and of which in this nightly
/// some runs passed and none failed.
std::vector<OpenSeries> list_running_again(Database& db, NightlyId nightly);

void add_series(Database& db, RegressionId regression, SeriesId series, SuspicionId suspicion);
void copy_series(Database& db, RegressionId from, RegressionId to, SeriesId series);
void remove_series(Database& db, RegressionId regression, SeriesId series);

/// All its series join another one. A series is in a regression once: one that is there already is
/// worse by it still, or again.
/// @return  how many are new there
int join_series(Database& db, RegressionId from, RegressionId to);

/// @param verified  runs_after 0: nothing was verified, the figures of its confirmation count
void note_verified(
    Database& db, RegressionId regression, SeriesId series, const Comparison& verified);
void note_recovered(Database& db, RegressionId regression, SeriesId series, NightlyId nightly);

}  // namespace vigil::service
