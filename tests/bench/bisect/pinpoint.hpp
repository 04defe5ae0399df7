#pragma once

#include <span>

#include "tests/bench/bisect/rules.hpp"

namespace vigil::bench {

/// A recursive comparison like Chromium's Pinpoint: 10 runs of each commit looked at; neighbours
/// are compared by rank; between two that differ the middle is looked at, where it cannot be told
/// both are run again, up to 60 times. Every adjacent pair that differs is named.
Answer play_recursive(const World& world, Lab& lab, int series);

/// Two-sided p-value of the Mann-Whitney U test, by its normal limit with ties.
/// @param a, b  not empty
double rank_test(std::span<const double> a, std::span<const double> b);

}  // namespace vigil::bench
