#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "worker/bench/device/breakdown.hpp"
#include "worker/bench/device/device.hpp"

// What takes a LibTorch with CUDA, by its own headers: cuda/*.cpp, or no_gpu.cpp where it has none.
// Everything else about GPUs goes through LibTorch's generic devices, see torch_device.cpp. Free of
// LibTorch's headers.

namespace vigil_bench {

/// Waits for all streams of this GPU. @return false where LibTorch has no CUDA, and nothing was
/// done
bool synchronise_gpu(int index);

/// What the caching allocator says of this GPU.
std::optional<DevicePeaks> gpu_peaks(int index);
std::optional<std::int64_t> gpu_live_bytes(int index);

/// Gives cached blocks back to the driver and starts new peaks.
void reset_gpu_peaks(int index);

/// Name, compute capability, memory, CUDA's version.
std::vector<std::pair<std::string, std::string>> gpu_facts(int index);

/// Whether it multiplies in TF32: compute capability 8.0 or later.
bool has_tf32(int index);

/// Calls `iterate` so often under LibTorch's profiler. The trace is empty where LibTorch was built
/// without what sees a GPU's work (Kineto and CUPTI).
/// @param synchronise  returns when the GPU has nothing left to do
GpuTrace trace_gpu(
    int iterations, const std::function<void()>& iterate, const std::function<void()>& synchronise);

}  // namespace vigil_bench
