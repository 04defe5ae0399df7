#pragma once

#include <cstdint>
#include <optional>
#include <string>

// What the kernel says of this process's memory.

namespace vigil_bench {

struct ProcessMemory {
    std::int64_t resident_bytes = 0;
    std::int64_t peak_bytes = 0;  ///< high-water mark of resident_bytes
};

/// From /proc/self/status; nothing where it cannot be read.
std::optional<ProcessMemory> process_memory();

/// Makes malloc keep what it once got from the kernel: without this, large tensors are mapped and
/// unmapped in every iteration, and page faults drown the time of the operators.
void keep_freed_memory();

/// Where this process's address space is limited (ulimit -v): whether enough of it is left to
/// compute anything. OpenBLAS without room for its buffer does not fail, it waits for ever.
/// @return  why not; empty: there is enough, or no limit
std::string find_too_little_memory();

/// Whether there is such a limit at all.
bool has_limited_address_space();

}  // namespace vigil_bench
