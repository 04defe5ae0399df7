#pragma once

#include "worker/bench/arguments/arguments.hpp"

namespace vigil_bench {

/// `--operators S`: measures the operators that models call, each by itself, for at most S seconds.
/// Prints what Google Benchmark would. Where the time is too short for all, each night of the
/// calendar (UTC) has its part.
/// @return the exit code: 0 when some were measured
/// @throws UsageError for an unknown model; std::exception for what LibTorch says
int run_operators(const Arguments& arguments);

}  // namespace vigil_bench
