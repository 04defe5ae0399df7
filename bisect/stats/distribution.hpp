#pragma once

#include <cmath>

namespace vigil::stats {

/// P(T <= x) for Student's t with `freedom` > 0 degrees of freedom.
double student_t_cdf(double x, double freedom);

/// The x with P(T <= x) = p; p in (0, 1), freedom > 0.
double student_t_quantile(double p, double freedom);

/// Density of Student's t of 4 degrees of freedom in its middle, where it is highest.
constexpr double t4_peak = 3 / 8.0;

/// That density, over that of its middle.
/// @param square  of a deviation, in squared scales
inline double t4_shape(double square) {
    const double q = 1 + square / 4;
    return 1 / (q * q * std::sqrt(q));
}

/// Its logarithm.
inline double t4_log_shape(double square) {
    return -2.5 * std::log1p(square / 4);
}

/// The weight of a run in a fit with Student's t of 4 degrees of freedom.
/// @param square  of its deviation, in squared scales
inline double t4_weight(double square) {
    return 5 / (4 + square);
}

constexpr double normal_95 = 1.645;  ///< P(Z <= 1.645) = 0.95: half a 90 % interval

/// P(Z <= x) for the standard normal.
double normal_cdf(double x);

/// The density of N(mean, variance) at x; variance > 0.
double normal_density(double x, double mean, double variance);

}  // namespace vigil::stats
