#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/comparison.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/revert_check.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"

// The table `revert_check`: whether taking a regression's culprit back would help.

namespace vigil::service {

struct RevertCheck {
    RegressionId regression;
    RevertState state = RevertState::waiting;
    Revision culprit;
    bool by_hand = false;
    std::optional<SeriesId> series;      ///< that is measured
    std::optional<Comparison> size;      ///< the culprit's change of it
    std::optional<Revision> parent;      ///< the culprit's first
    std::optional<Revision> head;        ///< newest revision when it was begun
    std::optional<Revision> made;        ///< the same without the culprit
    std::vector<std::string> conflicts;  ///< the first files; strangers' text
    int conflicting = 0;                 ///< how many there are
    std::optional<RequestId> request;    ///< the newest that measures
    std::optional<Comparison> reverted;  ///< `made` against `head`
    std::optional<Comparison> still;     ///< `head` against `parent`
    std::optional<RevertOutcome> outcome;
    std::string message;  ///< why nothing is known
    bool is_merge =
        false;  ///< the culprit is one: what it brought to its first parent is taken back
};

std::optional<RevertCheck> find_revert_check(Database& db, RegressionId regression);

/// Those that wait for the budget, or that are measured, in the order of the regressions. Of each
/// project so many at most; what waits for the day's budget comes last.
std::vector<RevertCheck> list_open_revert_checks(Database& db, int limit);

/// Those of a project that the git lane is asked about.
struct ApplyingRevert {
    RegressionId regression;
    Revision culprit;
};
std::vector<ApplyingRevert> list_applying_reverts(Database& db, int limit, ProjectId project);

/// Asks once for each culprit of a regression; a person may ask again. What goes on about another
/// culprit is forgotten.
/// @return  whether it is asked now
/// @throws Error{conflict} where a person asks and it goes on
bool ask_revert_check(
    Database& db,
    RegressionId regression,
    const Revision& culprit,
    bool by_hand,
    std::int64_t now_s);

/// Nothing is asked any more.
void remove_revert_check(Database& db, RegressionId regression);

/// The git lane is asked.
void begin_revert_check(
    Database& db,
    RegressionId regression,
    SeriesId series,
    const Comparison& size,
    std::int64_t now_s);

/// What the git lane found.
struct AppliedRevert {
    std::optional<Revision> parent;
    std::optional<Revision> head;
    std::optional<Revision> made;
    std::vector<std::string> conflicts;
    int conflicting = 0;
};
void note_applied(Database& db, RegressionId regression, const AppliedRevert& applied);

/// A request measures.
/// @param to  measuring, comparing
void note_measured_by(Database& db, RegressionId regression, RevertState to, RequestId request);

void note_reverted(Database& db, RegressionId regression, const Comparison& reverted);
void note_still(Database& db, RegressionId regression, const Comparison& still);

/// @param words  for the event "regression.revert"
/// @param message  why nothing is known; may be empty
void end_revert_check(
    Database& db,
    RegressionId regression,
    RevertOutcome outcome,
    const std::string& message,
    std::int64_t now_s);

/// How many culprits of a project were asked about since a time, those by hand not counted.
int count_revert_checks_since(Database& db, ProjectId project, std::int64_t since_s);

}  // namespace vigil::service
