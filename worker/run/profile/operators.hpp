#pragma once

#include "worker/run/profile/profiled_run.hpp"

namespace vigil::worker {

/// Runs vigil-bench, which profiles itself and prints what it finds. Whether it did shows when the
/// profile is read.
/// @throws what runner.run() throws
ProfiledRun run_for_operators(Runner& runner, const RunRequest& request);

}  // namespace vigil::worker
