#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "schema/model/metric.hpp"

namespace vigil::detect {

/// How single runs of a series scatter within one night, in logs with up = worse.
struct RunNoise {
    double spread = 0;  ///< of one run, a standard deviation for Gaussian runs; 0: not known
    double skew = 1;    ///< how much further the tail goes up than down; in [1/1.8, 1.8]
};

/// What earlier nights taught about a series. Logs.
struct SeriesNoise {
    RunNoise run;
    double middle = 0;  ///< median of the levels that taught it; NaN: there was none
    double night = 0;   ///< spread of a night's value
    double memory = 0;  ///< share of a night's deviation that is left the night after, in [0, 0.9]
};

/// Up is worse: ln(value), mirrored where higher is better; value >= 0.
double badness(double value, Direction direction);

/// The runs of one night, as far as they are remembered. Logs. Up to three runs are all there.
struct RunScatter {
    int runs = 1;
    float above = 0;  ///< from the middle of the runs to the highest
    float below = 0;  ///< from the lowest run to the middle

    bool operator==(const RunScatter&) const = default;
};

/// @param runs  [r] badness, r >= 1
RunScatter scatter_of(std::span<const double> runs);

/// Learns the scatter of runs from the ranges within nights (their upper quartile: the middle one
/// is blind to a second mode) and the skew from where the middle run lies between the others.
/// @param nights  [n] oldest first; the last rule.noise_nights count
RunNoise learn_run_noise(std::span<const RunScatter> nights);

/// The squared scale against which a residual above or below the level is held: the tail that goes
/// further is trusted less.
/// @param variance  of one run
double side_variance(double residual, double variance, double skew);

/// The level of a few runs: the location of a two-sided t distribution whose scale and skew are
/// known. Half the variance of the median for symmetric runs, a third for skewed ones.
/// @param runs  [r] badness, r >= 1
double level_of(std::span<const double> runs, const RunNoise& noise);

/// The same of remembered runs around their middle.
/// @return  nothing where there were more of them than are remembered
std::optional<double> level_of(double middle, const RunScatter& scatter, const RunNoise& noise);

/// @param levels  [n] levels of nights, oldest first; the last rule.noise_nights count
SeriesNoise learn_series_noise(std::span<const double> levels, const RunNoise& run);

}  // namespace vigil::detect
