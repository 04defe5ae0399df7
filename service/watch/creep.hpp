#pragma once

#include <optional>
#include <vector>

#include "bisect/detect/creep.hpp"
#include "service/store/database.hpp"
#include "service/watch/values.hpp"

namespace vigil::service {

/// Small changes of a series that together exceed the threshold.
struct SeriesCreep {
    detect::Creep creep;
    NightValues good;  ///< the last night before the sum began
    NightlyId since;   ///< the measured night after it
};

/// Sums what the series' level has drifted since its first night, or since the pinned night. What
/// was measured within the last nights and not filed is raised again only when it has grown.
/// @param nights  the newest nights of the level, tonight last; at most level_window
std::optional<SeriesCreep> find_series_creep(
    Database& db,
    const SeriesRow& series,
    const std::vector<NightValues>& nights,
    double threshold);

}  // namespace vigil::service
