#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "worker/bench/operators/operator_trace.hpp"

// What a model's modules took, from the operators that read their values. Pure.
//
// LibTorch's modules have no hooks in C++. So a call in the forward pass belongs to the module
// whose parameter or buffer it reads. A call that reads none belongs to the innermost module that
// holds both the reader before it and the one after it: it never is outside of that module where
// each module is called once in a pass. A call in the backward pass belongs to the module of the
// call whose derivative it is.

namespace vigil_bench {

struct ModuleUse {
    std::string name;        ///< "stages.0.branch"; "": the model itself
    std::size_t depth = 0;   ///< 0: the model
    std::int64_t calls = 0;  ///< of operators, with those of the modules in it, as is all below
    double self_ns = 0;      ///< without the modules in it
    double total_ns = 0;
    std::int64_t bytes = 0;  ///< of memory that is asked for
    double flops = 0;
};

struct ModuleProfile {
    std::vector<ModuleUse> modules;  ///< each before those in it, in the order of their first calls
    std::vector<std::optional<std::size_t>> of_event;  ///< place in `modules`; nothing: in none
};

/// Empty where the trace has no owners, or had too many events.
ModuleProfile profile_modules(const OperatorTrace& trace);

/// [{"name", "calls", "self_ns", "total_ns", "share", "bytes", "flops"}, ...] of one iteration, but
/// calls of all; the share is of total_ns in all operators.
nlohmann::json modules_json(const ModuleProfile& profile, int iterations);

/// The modules that took 2 % or more as a table for a terminal, at most 25.
std::string modules_table(const ModuleProfile& profile, int iterations);

/// Spans of the modules for a trace: one for each stay in one of them.
void add_module_events(
    const OperatorTrace& trace, const ModuleProfile& profile, nlohmann::json& events);

}  // namespace vigil_bench
