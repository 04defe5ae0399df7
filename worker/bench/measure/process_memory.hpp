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

/// Pages of this process that are in memory, in bytes: the kernel's count, which may lag behind by
/// some pages of each processor; 0 where it cannot be read. Takes nothing of malloc.
std::int64_t resident_bytes();

/// What was asked of malloc and not given back, by anyone in this process; 0 where the C library
/// does not say.
std::int64_t allocated_bytes();

/// Gives back what was freed and starts the peak of resident_bytes anew, at what lives now.
/// @return  whether the kernel did so
bool reset_process_peak();

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
