#pragma once

#include <cstdint>
#include <vector>

// How memory grows while a model runs. Knows nothing of LibTorch.

namespace vigil_bench {

enum class LeakVerdict { none, leak, unclear };

/// Growth of memory per iteration, robust: single steps (a cache that fills, a freed block) do not
/// move it.
struct Leak {
    double bytes_per_iteration = 0;  ///< Theil-Sen: the median slope of all pairs of samples
    double low = 0;                  ///< its 95 % interval, by Sen's ranks of the slopes
    double high = 0;
    LeakVerdict verdict = LeakVerdict::unclear;
};

/// @param live_bytes  [n] after each sample, oldest first, after warm-up; counted to the byte
/// @param iterations  [n] made until then, ascending; those between samples count
/// @return  `leak` when the interval lies above one byte per iteration, `none` when it holds no
///          growth of a page (4096 bytes) per iteration, else `unclear`; so with less than 8
///          samples, unless all are equal
/// @source  Sen 1968, "Estimates of the regression coefficient based on Kendall's tau"
Leak find_leak(const std::vector<double>& live_bytes, const std::vector<double>& iterations);

/// The same of bytes that move by themselves.
/// @param grain_bytes  growth over all samples that says nothing
/// @return  `leak` when even the interval's low end makes more than the grain, `none` when the
///          middle makes less, else `unclear`; so with less than 8 samples
Leak find_coarse_leak(
    const std::vector<double>& live_bytes,
    const std::vector<double>& iterations,
    double grain_bytes);

/// What lives after a sample, by who counts it.
struct LiveBytes {
    std::int64_t tensors = 0;    ///< of LibTorch's allocator, to the byte
    std::int64_t allocated = 0;  ///< of malloc and not given back, whoever asked; tensors among it
    std::int64_t resident = 0;   ///< of the process, in memory
};

/// What grows, by the same counts.
struct LeakParts {
    Leak tensors;
    Leak allocated;  ///< beyond 64 KiB: LibTorch's own small blocks grow by up to 17
    Leak resident;   ///< beyond 1 MiB: the kernel counts in steps
};
LeakParts find_leaks(
    const std::vector<LiveBytes>& live_bytes, const std::vector<double>& iterations);

/// What they say together: the first that is sure of a leak, and a later one where it sees so much
/// more that the first cannot be all of it. Where none is sure, tensors or malloc that are unclear:
/// what is resident moves too often to be worth a doubt.
Leak joined(const LeakParts& parts);

const char* to_text(LeakVerdict verdict);

}  // namespace vigil_bench
