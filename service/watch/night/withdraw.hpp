#pragma once

#include <cstdint>
#include <string>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// A person takes a night out of all judgement, and back: what it was measured with was broken or
// wrong. Its builds stay, and so does whatever was measured of them against other builds.

namespace vigil::service {

/// What is taken out.
struct WithdrawnPart {
    NightlyId nightly;
    std::string worker = {};  ///< only what this one measured; empty: the whole night
};

/// From here on nothing is judged by the night's own values: they are in no level, bar, session or
/// search that begins later. Its open suspicions end as `watch`; of what it confirmed and had not
/// filed, nothing is filed while this stands. Levels that it began go, but for those on which a
/// regression was filed or closed: these begin with the next night. Jobs that only its judgement
/// needed are cancelled; searches go on. The records of its series are made anew, and its summary
/// and the reports of its regressions are written anew. A night that is still measured ends as
/// failed.
/// @return  false: it is withdrawn already, and stays as it is
/// @throws Error{not_found} no such nightly or worker; Error{conflict} where there is nothing to
///         take out: it is measured beside the nights, or the worker had no part in it
bool withdraw(
    Database& db,
    const WithdrawnPart& part,
    const std::string& reason,
    const std::string& by,
    std::int64_t now_s);

/// Takes a withdrawal back: all counts again, as if it had never been withdrawn. Suspicions that
/// ended with it stay as they are; what was confirmed and not filed is filed now.
/// @param reason  may be empty
/// @return  false: it is not withdrawn
/// @throws Error{not_found}
bool restore(
    Database& db,
    const WithdrawnPart& part,
    const std::string& reason,
    const std::string& by,
    std::int64_t now_s);

}  // namespace vigil::service
