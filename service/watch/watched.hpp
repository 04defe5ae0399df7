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
/// with `watch` against one old build; at most max_watched_nights. Nights in which it only waited
/// for its turn are passed over.
/// @param good  only against the build of this nightly
std::vector<WatchedNight> list_watched(
    Database& db, SeriesId series, NightlyId nightly, std::optional<NightlyId> good = {});

/// A suspicion of the night before that tonight goes on.
struct GoingOn {
    NightlyId good_nightly;
    double change_ratio = 0;      ///< of the night before
    bool was_measured = false;    ///< undecided; else it waited for its turn and nothing is known
    int waited = 0;               ///< nights for which there were no runs
    double moved = 0;             ///< mean of these nights, log
    std::optional<double> above;  ///< P(above the threshold) by what was measured
};

/// What the night before left undecided, unless it has taken max_watched_nights by now.
std::optional<GoingOn> find_going_on(Database& db, SeriesId series, NightlyId nightly);

}  // namespace vigil::service
