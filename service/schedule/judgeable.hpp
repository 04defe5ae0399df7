#pragma once

#include <optional>
#include <string>

namespace vigil::service {

/// Values are compared by ratios and logarithms, so they are far from where a ratio of two, or its
/// square, overflows. The ledger's view judged_measurement has the same bounds. 0 is a value by
/// itself, but of a time or a rate it is a fault.
inline constexpr double least_judged = 1e-60;
inline constexpr double most_judged = 1e60;

/// Whether a series can be judged by a value of its unit.
constexpr bool is_judgeable(double value) {
    return value == 0 || (value >= least_judged && value <= most_judged);  // false for NaN
}

/// Why no series can be judged by a measurement; nullopt: it can.
/// @param value   the measurement's, metric's unit; anything, also infinite or NaN
/// @param spread  of its samples, likewise
/// @param zero    whether 0 is a value of the metric, see may_be_zero
std::optional<std::string> why_unjudged(double value, double spread, bool zero = false);

}  // namespace vigil::service
