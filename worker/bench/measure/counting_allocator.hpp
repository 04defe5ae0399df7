#pragma once

#include <cstdint>

// LibTorch's CPU memory, counted to the byte.

namespace vigil_bench {

/// Bytes as LibTorch asked for them, without the allocator's own overhead: the same program asks
/// for the same bytes, so that peaks and counts are equal to the bit in every process.
struct AllocationCounts {
    std::int64_t live_bytes = 0;
    std::int64_t peak_bytes = 0;  ///< highest live_bytes since the last reset_peak()
    std::int64_t allocations = 0;
    std::int64_t asked_bytes = 0;  ///< by all allocations together
};

/// Makes every CPU tensor from here on come from the counting allocator. Call once, before the
/// first tensor.
void install_counting_allocator();

AllocationCounts allocation_counts();

/// Starts a new peak at the bytes that live now.
void reset_peak();

}  // namespace vigil_bench
