#pragma once

#include <cstddef>
#include <vector>

#include "bisect/detect/session.hpp"
#include "schema/http/message.hpp"
#include "service/api/common/context.hpp"

// What another threshold would have said.

namespace vigil::service {

/// What was measured again of one suspicion.
struct MeasuredAgain {
    std::vector<detect::SessionRun> runs;
    detect::SessionRules rules;  ///< but for the threshold
};

struct ThresholdCounts {
    double threshold = 0;
    int worse = 0;      ///< above it
    int drift = 0;      ///< there, and not above it
    int not_there = 0;  ///< the interval of the change has 0 in it, and it is not above it
    int undecided = 0;  ///< these runs do not tell: more would have been made
};

/// Says what these runs show, as if this had been the threshold: by the interval of the change and
/// by the chance that it is above, and where that leaves it open by the session's own rule. What is
/// too near to a threshold for these runs is undecided.
ThresholdCounts count_at(const std::vector<MeasuredAgain>& measured, double threshold);

struct OtherThresholds {
    std::size_t measured = 0;  ///< suspicions
    std::vector<ThresholdCounts> thresholds;
};
/// What other thresholds would have said of what was measured again in the scope that a request
/// asks for, as of /api/v1/precision. @throws Error{invalid_argument}
OtherThresholds load_thresholds(
    const http::Request& request, Database& db, const HandlerContext& context);

}  // namespace vigil::service
