#pragma once

#include "worker/bench/arguments/arguments.hpp"

namespace vigil_bench {

/// Whether this run is a profiler's: by --iterations, or because VIGIL_PROFILE_S says so.
bool is_profiled(const Arguments& arguments);

/// Iterations for a profiler, as many as are asked for or its time allows, and nothing else. A
/// batch that is to be searched is the model's own. Prints the line of a passed run without
/// samples. @return the exit code
int run_profiled(Arguments arguments);

}  // namespace vigil_bench
