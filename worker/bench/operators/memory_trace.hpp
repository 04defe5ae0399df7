#pragma once

#include <functional>

#include "worker/bench/operators/memory_book.hpp"

namespace vigil_bench {

/// Calls `iterate` so often and says which operators hold the CPU's memory at its peak. One at a
/// time in a process, with the counting allocator; nothing is timed while it runs.
/// @param iterations  >= 1
MemoryProfile trace_memory(int iterations, const std::function<void()>& iterate);

}  // namespace vigil_bench
