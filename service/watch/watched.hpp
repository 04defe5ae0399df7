#pragma once

#include <optional>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// A night that ended with `watch`: undecided, so the next night's build is held against the same
/// old one, and what both nights measured is judged together.
struct WatchedNight {
    SessionId session;
    NightlyId good_nightly;
    double change_ratio = 0;  ///< of the night
};

/// So many nights one suspicion may take; then it has to be raised anew.
inline constexpr int max_watched_nights = 3;

/// The nights right before `nightly`, newest first and without a gap, in which the series ended
/// with `watch` against one old build; at most max_watched_nights.
/// @param good  only against the build of this nightly
std::vector<WatchedNight> list_watched(
    Database& db, SeriesId series, NightlyId nightly, std::optional<NightlyId> good = {});

}  // namespace vigil::service
