#pragma once

#include <span>
#include <string>

namespace vigil::detect {

/// One night of a worker's canary on its control chart.
struct CanaryJudgement {
    bool knows = false;  ///< the chart has enough nights
    bool off = false;    ///< beyond its bounds, up or down
    double base = 0;     ///< the chart's level, metric's unit
    double moved = 0;    ///< log, against the base
    double bound = 0;    ///< log, to either side
    std::string reason;  ///< one line, for a person
};

/// The reference is the chart's first rule.baseline_nights and does not follow: a machine that
/// ages leaves it in the end. Bounds are four robust spreads of the last rule.noise_nights, and
/// at least 2 %.
/// @param chart    [n] the worker's earlier nights since its chart began, each > 0, oldest first
/// @param tonight  > 0
CanaryJudgement judge_canary(std::span<const double> chart, double tonight);

}  // namespace vigil::detect
