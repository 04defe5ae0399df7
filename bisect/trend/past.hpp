#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "schema/model/metric.hpp"

namespace vigil::trend {

/// A change inside a history, with what came after it in view.
struct PastChange {
    std::size_t first = 0;     ///< first night of the new level, the likeliest
    std::size_t earliest = 0;  ///< plausible range of `first`, both ends included
    std::size_t latest = 0;
    bool worse = false;
    double before = 0;        ///< median of the level before, the series' unit
    double after = 0;         ///< median of the level from `first` on, the series' unit
    double change_ratio = 0;  ///< how much worse; infinite where a rise begins at 0
    double low = 0;           ///< 90 % interval of change_ratio
    double high = 0;
    double errors = 0;     ///< size of the change in its own standard errors
    bool certain = false;  ///< two flat levels, surely apart, by at least 1 %
};

/// The changes between the levels of a whole series (cut_into_levels), oldest first.
/// @param values  [n] NaN or infinite: nothing was measured
/// @source  docs/detection.md, "Whole series"
std::vector<PastChange> find_past_changes(std::span<const double> values, Direction direction);

}  // namespace vigil::trend
