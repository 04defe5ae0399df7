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

/// Whom each block is told to. A block keeps its label, whoever releases it.
struct AllocationHooks {
    std::uint32_t (*allocated)(std::int64_t bytes) = nullptr;  ///< @return the block's label
    /// @param label  0: it was allocated while nobody was told
    void (*released)(std::int64_t bytes, std::uint32_t label) = nullptr;
};

/// Makes every CPU tensor from here on come from the counting allocator. Call once, before the
/// first tensor.
void install_counting_allocator();

AllocationCounts allocation_counts();

/// Starts a new peak at the bytes that live now.
void reset_peak();

/// @param hooks  called from any thread, both set; nullptr: nobody is told from here on
void set_allocation_hooks(const AllocationHooks* hooks);

}  // namespace vigil_bench
