#pragma once

#include <cstdint>
#include <string>

#include "schema/model/ids.hpp"
#include "schema/model/states.hpp"
#include "service/store/database.hpp"

// What a night as a whole asks and does of suspicions and sessions (tables suspicion and session).

namespace vigil::service {

/// A series' variant no longer runs.
struct NewOutcomeSuspicion {
    SeriesId series;
    NightlyId nightly;
    NightlyId good_nightly;  ///< in which it ran
    double value = 0;        ///< of that night, metric's unit
    std::string reason;
};
SuspicionId add_outcome_suspicion(
    Database& db, const NewOutcomeSuspicion& suspicion, std::int64_t now_s);

/// The newest night before that asked for a session of this series and did not let it wait; 0: none
/// did.
NightlyId find_last_asked(Database& db, SeriesId series, NightlyId nightly);

/// In how many nights after `since` and before `nightly` the series asked, and had to wait.
int count_unasked(Database& db, SeriesId series, NightlyId nightly, NightlyId since);

/// Ends all that have not ended, without a look at any row and without events.
/// @param why  added to why each was opened
void end_all_suspicions(
    Database& db, NightlyId nightly, Verdict verdict, const std::string& why, std::int64_t now_s);

/// Ends all sessions of the night.
void end_all_sessions(Database& db, NightlyId nightly);

/// Ends the sessions of the night on which no suspicion stands any more.
void end_idle_sessions(Database& db, NightlyId nightly);

}  // namespace vigil::service
