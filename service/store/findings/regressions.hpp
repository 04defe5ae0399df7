#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/comparison.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/metric.hpp"
#include "schema/model/states.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"

// The tables `regression`, and `regression_series`: which series one holds, by which suspicion of
// each, and since which nightly a series is back.

namespace vigil::service {

struct RegressionRow {
    RegressionId id;
    ProjectId project;
    RegressionState state = RegressionState::searching;
    std::optional<BisectionId> bisection;  ///< which answers for it
    std::optional<Revision> culprit;
    std::vector<Revision> left;  ///< suspects that cannot be told apart, where there is no culprit
    std::string reason;
    std::optional<RegressionEnd> ended_as;

    /// Its search changes it no more.
    bool has_ended() const { return state == RegressionState::closed; }
};

RegressionRow load_regression(Database& db, RegressionId regression);

/// The regression that a bisection on the line was begun for.
RegressionId load_regression_of(Database& db, BisectionId bisection);

/// Those of a project with this culprit, in the order they came.
std::vector<RegressionRow> list_with_culprit(
    Database& db, ProjectId project, const Revision& culprit);

/// Those of a project that are left with these commits, in the order they came.
/// @param left  not empty
std::vector<RegressionRow> list_left_with(
    Database& db, ProjectId project, const std::vector<Revision>& left);

/// Those that are open and name a culprit, found by the nights before one.
/// @param nights  so many of them
std::vector<RegressionRow> list_named_before(Database& db, NightlyId nightly, int nights);

/// The nightly that showed it.
NightlyId load_finding_night(Database& db, RegressionId regression);

/// Whether none of its series is back, and what that nightly measured of them leaves no doubt: of
/// those with a value none was asked about and left undecided.
bool is_still_worse(Database& db, RegressionId regression, NightlyId nightly);

/// Those of a night that wait for a search, or are searched.
std::vector<RegressionId> list_unsearched_regressions(Database& db, NightlyId nightly);

struct SearchedRegression {
    RegressionId id;
    bool has_culprit = false;  ///< the merge that is searched inside
};
/// Those that a bisection searches, or the one around it.
std::vector<SearchedRegression> list_searched_regressions(Database& db, BisectionId bisection);

struct NewRegression {
    ProjectId project;
    NightlyId nightly;
    BuildId good;
    BuildId bad;
    std::optional<BisectionId> bisection;
    RegressionState state = RegressionState::searching;  ///< it begins in
    std::string reason;                                  ///< why it cannot be searched
};
RegressionId add_regression(Database& db, const NewRegression& regression, std::int64_t now_s);

/// Adds a copy of its row, without series; what was closed stays so.
/// @param state  of the copy
RegressionId split_regression(
    Database& db, RegressionId from, RegressionState state, std::int64_t now_s);

/// Moves a regression to another state with the reason, and tells of it by the event
/// "regression.STATE". One that is closed stays so: a search may end after that.
/// @param to  open, for close_regression closes it
/// @return  whether it was moved
/// @throws Error{conflict} where the state machine has no such arrow, see
///         schema/model/transitions.hpp
bool move_regression(
    Database& db,
    RegressionId regression,
    RegressionState to,
    const std::string& reason,
    std::int64_t now_s);

/// Moves a regression whose search has ended, with a culprit or a range, to `reported`. Unlike
/// move_regression it keeps the reason, which the report tells, and records no event: the caller
/// does once the report is stored, with the report's title.
/// @return  whether it was moved; false in every other state
bool move_to_reported(Database& db, RegressionId regression, std::int64_t now_s);

/// Closes a regression, with the event "regression.closed", before which "regression.recovered" or
/// "regression.not_reproduced" says how. One that is closed stays as it is.
/// @param words  why; what has recovered keeps the reason that it has
/// @return  whether it was closed
/// @throws Error{conflict} likewise
bool close_regression(
    Database& db,
    RegressionId regression,
    RegressionEnd ended_as,
    const std::string& words,
    std::int64_t now_s);

/// What a person does with it, see schema/model/by_hand.hpp; nothing where it is in that state. The
/// event "regression.STATE" holds who and why. What was closed is watched again where it is
/// reported once more.
/// @throws Error{not_found}; Error{conflict} for what is not done by hand
void move_by_hand(
    Database& db,
    RegressionId regression,
    RegressionState to,
    const std::string& by,
    const std::string& reason,
    std::int64_t now_s);

/// Names whoever is to look at it, with the event "regression.assigned".
/// @param to  empty: nobody
/// @throws Error{not_found}
void assign_regression(
    Database& db,
    RegressionId regression,
    const std::string& to,
    const std::string& by,
    const std::string& reason,
    std::int64_t now_s);

/// @param bisection  which verified it
void note_culprit(
    Database& db, RegressionId regression, const Revision& culprit, BisectionId bisection);
void note_left(Database& db, RegressionId regression, const std::vector<Revision>& left);

void touch_regression(Database& db, RegressionId regression, std::int64_t now_s);

/// What a night found, or saw recover, is told anew.
void touch_regressions_of(Database& db, NightlyId nightly, std::int64_t now_s);

/// Regressions of the same confirmed series name each other: those that were reported are told
/// anew.
void touch_others(Database& db, RegressionId regression, std::int64_t now_s);

/// Tells of it by the event "regression.WHAT".
void record_regression_event(
    Database& db,
    RegressionId regression,
    std::string_view what,
    const std::string& words,
    std::int64_t now_s,
    const std::string& data_json = "{}");

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
