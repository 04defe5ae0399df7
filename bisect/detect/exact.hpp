#pragma once

#include <optional>
#include <span>

#include "bisect/detect/session.hpp"

namespace vigil::detect {

/// The verdict on a deterministic metric, compared exactly in integers: both sides constant over
/// at least two runs each, whole numbers, memory or a series known to be without noise.
/// @return  nothing when the values are not of that kind
std::optional<SessionJudgement> judge_exactly(
    std::span<const SessionRun> runs, const SessionRules& rules);

}  // namespace vigil::detect
