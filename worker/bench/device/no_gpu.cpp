#include "worker/bench/device/gpu.hpp"

// A vigil-bench on a LibTorch without CUDA; see CMakeLists.txt.

namespace vigil_bench {

bool synchronise_gpu(int) {
    return false;
}

std::optional<DevicePeaks> gpu_peaks(int) {
    return std::nullopt;
}

std::optional<std::int64_t> gpu_live_bytes(int) {
    return std::nullopt;
}

void reset_gpu_peaks(int) {}

std::vector<std::pair<std::string, std::string>> gpu_facts(int) {
    return {};
}

bool has_tf32(int) {
    return false;
}

GpuTrace trace_gpu(int, const std::function<void()>&, const std::function<void()>&) {
    return {};
}

}  // namespace vigil_bench
