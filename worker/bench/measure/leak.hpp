#pragma once

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

/// @param live_bytes  [n] after each sample, oldest first, after warm-up
/// @param iterations  [n] made until then, ascending; those between samples count
/// @return  `leak` when the interval lies above one byte per iteration, `none` when it holds no
///          growth of a page (4096 bytes) per iteration, else `unclear`; so with less than 8
///          samples, unless all are equal
/// @source  Sen 1968, "Estimates of the regression coefficient based on Kendall's tau"
Leak find_leak(const std::vector<double>& live_bytes, const std::vector<double>& iterations);

const char* to_text(LeakVerdict verdict);

}  // namespace vigil_bench
