#pragma once

namespace vigil::service {

/// Values are compared by ratios and logarithms, so they are above 0 and far from where a ratio of
/// two, or its square, overflows. The ledger's view judged_measurement has the same bounds.
inline constexpr double least_judged = 1e-60;
inline constexpr double most_judged = 1e60;

/// Whether a series can be judged by a value of its unit.
constexpr bool is_judgeable(double value) {
    return value >= least_judged && value <= most_judged;  // false for NaN
}

}  // namespace vigil::service
