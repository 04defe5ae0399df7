#pragma once

#include <span>

namespace vigil::stats {

constexpr double gaussian_deviation = 1.4826;  ///< makes a median deviation a standard deviation
constexpr double median_variance = 1.57;       ///< of a median, in variances of a mean

/// @param values  [n], any order, finite
/// @return  the median (mean of the middle two when n is even); NaN when n = 0
double median(std::span<const double> values);

/// The robust spread: 1.4826 * median(|x - median|), a standard deviation for Gaussian samples.
/// @return  >= 0; 0 when n < 2
double spread(std::span<const double> values);
/// The same of values whose median is known.
double spread(std::span<const double> values, double middle);

/// The robust spread of one value, from how neighbours differ: a slow drift hardly moves it, nor do
/// a few steps.
/// @param values  [n], in order of time, finite
/// @return  >= 0; 0 when n < 2
double spread_of_steps(std::span<const double> values);

/// @param p  in [0, 1]
/// @return  the p-quantile, linear between order statistics; NaN when n = 0
double quantile(std::span<const double> values, double p);

/// @return  the arithmetic mean; NaN when n = 0
double mean(std::span<const double> values);

/// @param share  in [0, 0.5): this share of the values, rounded down, is left out at each end
/// @return  the mean of the rest; NaN when n = 0
double trimmed_mean(std::span<const double> values, double share);

}  // namespace vigil::stats
