#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/states.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"

// The table `missed`: regressions that a person tells of, because they were not found.

namespace vigil::service {

struct NewMissed {
    ProjectId project;
    SeriesId series;
    NightlyId nightly;       ///< the first bad one
    NightlyId good_nightly;  ///< the one before that has a value
    std::string believed;    ///< revision; empty: nobody says which commit it was
    std::string reason;      ///< a person's text; may be empty
    std::string token;       ///< name of whoever told it
    RequestId request;       ///< measures it again
};
/// In state `measuring`, with the event "missed.measuring".
/// @throws Error{conflict} where one of this series and night stands
MissedId add_missed(Database& db, const NewMissed& missed, std::int64_t now_s);

struct MissedRow {
    MissedId id;
    ProjectId project;
    SeriesId series;
    NightlyId nightly;
    NightlyId good_nightly;
    MissedState state = MissedState::measuring;
    std::string believed;
    std::string reason;
    std::string token;
    RequestId request;
};
/// @throws Error{not_found}
MissedRow load_missed(Database& db, MissedId missed);

/// Those whose request is over, and that nothing was made of yet; oldest first.
std::vector<MissedId> list_measured_missed(Database& db, int limit);

/// Moves it, and tells of it by the event "missed.STATE".
/// @throws Error{not_found}; Error{conflict} where the state machine has no such arrow
void move_missed(
    Database& db, MissedId missed, MissedState to, std::string_view message, std::int64_t now_s);

/// Which suspicion a regression holds for it.
void note_told_suspicion(Database& db, MissedId missed, SuspicionId suspicion);

/// What covers a night of a series already: a regression that was found in that night or after it,
/// and whose good night lies before.
struct CoveringRegression {
    RegressionId id;
    RegressionState state = RegressionState::searching;
};
std::optional<CoveringRegression> find_covering(Database& db, SeriesId series, NightlyId nightly);

/// One that a person told, as the report of its regression shows it.
struct ReportedMissed {
    std::string by;
    std::string night;  ///< the first bad one, its name
    std::string reason;
    std::optional<Revision> believed;
};
/// Those of a regression, in the order they were told.
std::vector<ReportedMissed> list_reported_missed(Database& db, RegressionId regression);

}  // namespace vigil::service
