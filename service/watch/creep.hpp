#pragma once

#include <optional>
#include <vector>

#include "bisect/detect/creep.hpp"
#include "service/store/database.hpp"
#include "service/watch/series_state.hpp"
#include "service/watch/values.hpp"

namespace vigil::service {

/// Small changes of a series that together exceed the threshold.
struct SeriesCreep {
    detect::Creep creep;
    NightValues good;  ///< the last night before the sum began
    NightlyId since;   ///< the measured night after it
};

/// Whether the newest nights lie so far above the level's first ones, or the pinned one, that
/// find_series_creep could find something: a look at what is remembered, without the nights.
bool may_creep(
    Database& db, const SeriesRow& series, const FollowedNight& followed, double threshold);

/// Sums what the series' level has drifted since its first night, or since the pinned night. What
/// was measured within the last nights and not filed is raised again only when it has grown.
/// @param nights  the newest nights of the level, tonight last; at most level_window
std::optional<SeriesCreep> find_series_creep(
    Database& db,
    const SeriesRow& series,
    const std::vector<NightValues>& nights,
    double threshold);

}  // namespace vigil::service
