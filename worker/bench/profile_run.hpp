#pragma once

#include <nlohmann/json_fwd.hpp>

#include "worker/bench/arguments/arguments.hpp"
#include "worker/bench/device/device.hpp"
#include "worker/bench/models/subject.hpp"

namespace vigil_bench {

/// Medians of an iteration that nothing recorded.
struct StepTimes {
    double wall_ns = 0;
    double cpu_ns = 0;
};

/// Whether VIGIL_PROFILER asks for operators: who profiles may not know the command line. In one
/// thread of the CPU their times are processor time then.
bool is_asked_for_operators();

/// `--profile N`: N iterations under LibTorch's recording hooks, then the peaks of the machine.
/// @return  "profile"; {"absent": why} where LibTorch gave up, which takes nothing of what was
///          measured. A trace file that cannot be written is said in it.
nlohmann::json profile_subject(
    Subject& subject, Device& device, const Arguments& arguments, const StepTimes& step);

}  // namespace vigil_bench
