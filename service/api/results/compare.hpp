#pragma once

#include <optional>
#include <span>

#include "schema/model/comparison.hpp"
#include "schema/model/metric.hpp"

namespace vigil::service {

/// One night of a series against another, by what its nights' own noise tells; nothing was measured
/// side by side, so that what the machine did in between counts as a change.
struct NightComparison {
    double before = 0;  ///< the series' unit
    double after = 0;
    double change_ratio = 0;  ///< how much worse
    double low = 0;           ///< 90 % interval of change_ratio
    double high = 0;
    Finding finding = Finding::unknown;
};

/// @param before, after  runs of the two nights, each > 0; one or more each
/// @param nights         values of nights of the series, oldest first; NaN: not measured. They
///                       teach its noise: with too few of them the finding is unknown
/// @param kind           all but times are compared exactly where two or more runs of each night
///                       gave the same number
/// @source  docs/detection.md, "Noise" (the spread of a night's value)
NightComparison compare_nights(
    std::span<const double> before,
    std::span<const double> after,
    std::span<const double> nights,
    Direction direction,
    MetricKind kind);

}  // namespace vigil::service
