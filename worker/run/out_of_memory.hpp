#pragma once

#include <cstdint>

#include "worker/run/run.hpp"

namespace vigil::worker {

/// Whether want of memory is why a process failed. A control group counts the kernel's kills, and
/// one is enough: a command that ends well without a process that it began did not do its work.
/// Where there is no group, or an allocation was refused outright, what the process said and its
/// peak tell.
/// @param kills  the kernel's, in the process's group
bool ran_out_of_memory(const RunReport& report, std::int64_t kills, const Limits& limits);

}  // namespace vigil::worker
