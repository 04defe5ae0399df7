#pragma once

#include <cstdint>
#include <vector>

#include "bisect/detect/session.hpp"
#include "service/watch/values.hpp"

// A machine that moved: new and old build alike are slower, or faster, than the nights before.

namespace vigil::service {

/// Whether a session's old build lies off the series' earlier nights: by more than they scatter, by
/// more than half the threshold, and at least half as far as tonight.
/// @param change_ratio  of the night against its baseline
bool old_build_moved(
    Database& db,
    const SeriesRow& series,
    NightlyId nightly,
    const std::vector<detect::SessionRun>& runs,
    double change_ratio,
    double threshold);

/// A machine that moved for one night only leaves the baseline alone. When the night before ended
/// with `environment` too, the baseline starts anew there. @return whether it did
bool rebase_if_it_stays(Database& db, SeriesId series, NightlyId nightly, std::int64_t now_s);

}  // namespace vigil::service
