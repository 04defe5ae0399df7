#pragma once

#include <vector>

#include "schema/model/ids.hpp"

namespace vigil::trend {

/// What the history of one series says of when its change began (docs/detection.md).
struct FirstNight {
    std::vector<NightlyId> measured;  ///< ascending; in other nights nothing was seen
    NightlyId since;                  ///< the likeliest first night
    NightlyId earliest, latest;       ///< its plausible range
};

/// How likely the change of one series began with the commits of each night, up to a factor. What
/// came on a night without a value shows on the next one with a value. Pure.
/// @param nights  after the good one, the bad one last
std::vector<double> weigh_nights(const std::vector<NightlyId>& nights, const FirstNight& known);

}  // namespace vigil::trend
