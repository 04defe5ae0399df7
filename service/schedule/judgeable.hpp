#pragma once

#include <optional>
#include <string>

namespace vigil::service {

/// Values are compared by ratios and logarithms, so they are above 0 and far from where a ratio of
/// two, or its square, overflows. The ledger's view judged_measurement has the same bounds.
inline constexpr double least_judged = 1e-60;
inline constexpr double most_judged = 1e60;

/// Whether a series can be judged by a value of its unit.
constexpr bool is_judgeable(double value) {
    return value >= least_judged && value <= most_judged;  // false for NaN
}

/// Why no series can be judged by a measurement; nullopt: it can.
/// @param value   the measurement's, metric's unit; anything, also infinite or NaN
/// @param spread  of its samples, likewise
std::optional<std::string> why_unjudged(double value, double spread);

}  // namespace vigil::service
