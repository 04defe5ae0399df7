#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "service/store/series/values.hpp"

namespace vigil::service {

/// A machine moved and stayed: times that it measures begin new levels.
/// @param nightly   whose series these are
/// @param first     the night it moved
/// @param is_moved  whether one of them is such a time
/// @return  how many
int begin_levels_of_times(
    Database& db,
    NightlyId nightly,
    NightlyId first,
    const std::string& why,
    const std::function<bool(const SeriesRow&)>& is_moved,
    std::int64_t now_s);

}  // namespace vigil::service
