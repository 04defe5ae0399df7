#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bisect/trend/rules.hpp"

namespace vigil::trend {

/// A level of the past: the nights before `end` and from the end of the level before it on.
struct ClosedLevel {
    std::size_t end = 0;
    double middle = 0;  ///< its median when it was closed

    bool operator==(const ClosedLevel&) const = default;
};

/// The nights LevelWatch remembers, oldest first. `level` is what it judges: up is worse.
struct Kept {
    std::vector<double> raw;          ///< as measured
    std::vector<double> level;        ///< on the scale of LevelWatch
    std::vector<double> residual;     ///< of closed levels: level minus its level's median
    std::vector<char> after_border;   ///< the difference to the night before means nothing
    std::vector<std::size_t> night;   ///< position in the series
    std::vector<ClosedLevel> closed;  ///< before the current level, oldest first
    std::size_t begin = 0;            ///< of the current level

    std::size_t refuted = 0;  ///< nights before it are known to be of the old level

    bool operator==(const Kept&) const = default;

    std::size_t size() const { return level.size(); }
};

/// The noise of a series as the nights before a supposed change show it.
struct Background {
    double middle = 0;              ///< median of the level before
    int nights = 0;                 ///< that the median stands on
    double spread = 0;              ///< robust, of one night
    double wide = 0;                ///< share of nights beyond four spreads, smoothed
    double largest = 0;             ///< largest |residual|
    double correlation = 0;         ///< of neighbouring residuals, in [0, 0.9]
    std::size_t level_nights = 0;   ///< of the level before, all that are remembered
    std::vector<double> residuals;  ///< [n] of all nights before the change, oldest first

    /// ln of the density of a residual `x`: kernels on the residuals seen, each with heavy tails,
    /// and a wide Cauchy for what was never seen.
    /// @param sign  +1; -1 mirrors the residuals
    double log_density(double x, double sign, const LevelWatchRules& rules) const;
};

/// @param end     the first night of the supposed new level; > kept.begin
/// @param middle  median of the level before
Background background_before(
    const Kept& kept, std::size_t end, double middle, int nights, const LevelWatchRules& rules);

/// ln of Student's t with 4 degrees of freedom, up to a constant.
double log_heavy(double z);

}  // namespace vigil::trend
