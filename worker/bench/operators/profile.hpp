#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "worker/bench/operators/modules.hpp"
#include "worker/bench/operators/operator_trace.hpp"
#include "worker/bench/operators/roofline.hpp"

// What operators took, for programs and for people. Knows nothing of LibTorch.

namespace vigil_bench {

/// "profile": {"iterations", "wall_time_ns", "outside_ns", "registered", "operators": [{"name",
/// "forward", "backward", "self_ns", "share", "total_ns", "bytes", "shapes", and of roofline_json
/// what the operators compute with those that they call}, ...]}, the longest first; times and
/// bytes of one iteration, calls of all. What is in no operator is "outside_ns"; "unknown_share" is
/// of the time in operators whose operations nobody counts.
/// @param iterations  that were traced, >= 1
nlohmann::json profile_of(const OperatorTrace& trace, int iterations, const Peaks& peaks = {});

/// The 15 longest as a table for a terminal.
std::string profile_table(const OperatorTrace& trace, int iterations);

/// In the Trace Event Format, which chrome://tracing and Perfetto open: the operators, and above
/// them the modules. At most 200,000 of the operators.
nlohmann::json chrome_trace(const OperatorTrace& trace, const ModuleProfile& modules = {});

/// "breakdown" of the CPU's time, with the names of a GPU's: "active" is the share of operators
/// that compute, "data_movement" of those that only copy, "idle" what is in no operator (the
/// program, autograd, LibTorch's own bookkeeping). They add up to 1.
nlohmann::json cpu_breakdown_of(const OperatorTrace& trace, double wall_ns);

}  // namespace vigil_bench
