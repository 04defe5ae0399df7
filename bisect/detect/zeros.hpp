#pragma once

#include <optional>
#include <span>

#include "bisect/detect/session.hpp"

namespace vigil::detect {

/// The verdict on a session in which some run gave 0: no ratio compares with that, so B is held
/// against A by ranks. A change from 0 is above every threshold where it is at least the metric's
/// grain (a byte, of memory) and more than the runs of a side differ by.
/// @return  nothing where no run gave 0
/// @source  docs/detection.md, "Zeros"
std::optional<SessionJudgement> judge_with_zeros(
    std::span<const SessionRun> runs, const SessionRules& rules);

}  // namespace vigil::detect
