#pragma once

#include <optional>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/states.hpp"
#include "service/store/database.hpp"

// What suspicions came to, as searches and recoveries ask for it. Reads `suspicion`.

namespace vigil::service {

/// A change that is confirmed and that no regression holds yet.
struct ConfirmedChange {
    SuspicionId suspicion;
    SeriesId series;
    NightlyId good_nightly;  ///< it was held against
    SessionId session;
    double change_ratio = 0;
    bool by_outcome = false;  ///< it no longer runs
};
/// Of one night, in the order of the suspicions.
/// @throws Error{invalid_argument} when a comparison cannot be read
std::vector<ConfirmedChange> list_confirmed(Database& db, NightlyId nightly);

/// A series whose session said that it is as good as before a regression, or is asked.
struct MendedSeries {
    SeriesId series;
    NightlyId good_nightly;  ///< it was held against
};
enum class MendedOrAsked { mended, or_asked };
std::vector<MendedSeries> list_mended(Database& db, NightlyId nightly, MendedOrAsked which);

/// What the sessions of later nights said to the question whether a series is back.
struct RecoveryAnswer {
    NightlyId nightly;
    std::optional<Verdict> verdict;
    double above = 0;  ///< probability that it is not back; 0: its session did not say
};
/// @throws Error{invalid_argument} when a comparison cannot be read
std::vector<RecoveryAnswer> list_recovery_answers(Database& db, SeriesId series, NightlyId after);

/// Since when a change of a level is suspected.
struct SuspectedSince {
    SeriesId series;
    NightlyId since;                       ///< the likeliest first night
    NightlyId earliest = {}, latest = {};  ///< its plausible range
};
/// Of the newest suspicion up to this one that says so, of the nights after `good`.
std::optional<SuspectedSince> find_suspected_since(
    Database& db, SuspicionId suspicion, NightlyId good);

}  // namespace vigil::service
