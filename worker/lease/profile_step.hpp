#pragma once

#include "schema/model/job.hpp"
#include "worker/run/run.hpp"

namespace vigil::worker {

/// Runs a step once under its profiler, in the sandbox and within the plan's limits.
/// @return  passed with its profile, or the reason why there is none
/// @throws as run_for_profile
RunOutcome profile_step(
    Runner& runner, const RunRequest& request, const BenchmarkPlan& plan, int step);

}  // namespace vigil::worker
