#pragma once

#include <cstdint>
#include <string>

#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"

// A regression that a person tells of, because it was not found. The night before and the night are
// compared as any two builds that are asked for; what that confirms is opened as a regression of
// its night, and searched like any other.

namespace vigil::service {

struct ToldMissed {
    SeriesId series;
    NightlyId nightly;   ///< the first bad one
    std::string commit;  ///< the beginning of a hash; empty: nobody says which it was
    std::string reason;
    std::string by;
};

/// Notes it, and asks for the comparison.
/// @throws Error{not_found}; Error{invalid_argument} for a commit that is not of the range;
///         Error{conflict} where it cannot be measured, or a regression covers it already
MissedId tell_missed(
    Database& db, const Config& config, const ToldMissed& told, std::int64_t now_s);

/// It counts no longer, and what still measures it ends.
/// @throws Error{not_found}; Error{conflict} where it is a regression by now
void take_back_missed(Database& db, MissedId missed, const std::string& by, std::int64_t now_s);

/// Makes of those that were measured what they are: a regression with its search, or none.
void settle_missed(Database& db, const Config& config, std::int64_t now_s);

}  // namespace vigil::service
