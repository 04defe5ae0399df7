#pragma once

#include <nlohmann/json_fwd.hpp>

#include "worker/bench/arguments/arguments.hpp"

namespace vigil_bench {

/// Which operators hold the memory of a model at its peak, in a process of its own: what a model
/// allocates once and keeps, it allocates in its first iteration. Call it before LibTorch has
/// computed anything here.
/// @return  memory_json(); {"absent": why} where there is none; null: it does not run on the CPU
nlohmann::json profile_memory(const Arguments& arguments);

}  // namespace vigil_bench
