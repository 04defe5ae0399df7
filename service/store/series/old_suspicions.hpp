#pragma once

#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"
#include "service/store/series/answers.hpp"

// The table old_suspicion: what is left of suspicions that were refuted or were the machine's, of
// nights that are rolled up.

namespace vigil::service {

/// One that may be shortened.
struct RefutedSuspicion {
    SuspicionId id;
    AnswerRow answer;
    std::string confirmed;  ///< JSON Comparison
};

/// Those of a night whose verdict is_refuted and on which nothing stands, in their order. A
/// question about a recovery stays, and so does one whose old build is of before a regression of
/// its series: both tell how that goes on.
/// @param from  the first that may be in it
std::vector<RefutedSuspicion> list_refuted(
    Database& db, NightlyId nightly, SuspicionId from, int limit);

/// Moves it to old_suspicion. Its words and its events are gone; what the loop was told stays to
/// the last bit. The caller is in a transaction.
/// @return  false: what was measured has no plain interval, and the suspicion stays as it is
/// @throws  Error{invalid_argument} when a column cannot be read
bool shorten_suspicion(Database& db, const RefutedSuspicion& suspicion);

}  // namespace vigil::service
