#pragma once

#include <vector>

#include "bisect/detect/session.hpp"

// What another threshold would have said. Pure functions.

namespace vigil::service {

/// What was measured again of one suspicion.
struct MeasuredAgain {
    std::vector<detect::SessionRun> runs;
    detect::SessionRules rules;  ///< but for the threshold
};

struct ThresholdCounts {
    double threshold = 0;
    int worse = 0;      ///< above it
    int drift = 0;      ///< real, and not above it
    int not_there = 0;  ///< not reproduced
    int undecided = 0;  ///< these runs do not tell: more would have been made
};

/// Judges what was measured by the session's own rule, as if this had been the threshold. The runs
/// are those that were made, so what a smaller threshold would have measured longer is undecided.
ThresholdCounts count_at(const std::vector<MeasuredAgain>& measured, double threshold);

}  // namespace vigil::service
