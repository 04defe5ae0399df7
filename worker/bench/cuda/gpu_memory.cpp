#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>

#include "worker/bench/device/gpu.hpp"

// LibTorch's CUDA by its own headers: only compiled where LibTorch has it.

namespace vigil_bench {

namespace {

namespace allocator = c10::cuda::CUDACachingAllocator;

/// Of all statistics, the one over large and small blocks together; first in every version.
constexpr std::size_t all_blocks = 0;

c10::DeviceIndex index_of(int index) {
    return static_cast<c10::DeviceIndex>(index);
}

}  // namespace

bool synchronise_gpu(int index) {
    const c10::cuda::CUDAGuard guard(index_of(index));
    c10::cuda::device_synchronize();
    return true;
}

std::optional<DevicePeaks> gpu_peaks(int index) {
    const auto stats = allocator::getDeviceStats(index_of(index));
    return DevicePeaks{
        stats.allocated_bytes[all_blocks].peak, stats.reserved_bytes[all_blocks].peak};
}

std::optional<std::int64_t> gpu_live_bytes(int index) {
    return allocator::getDeviceStats(index_of(index)).allocated_bytes[all_blocks].current;
}

void reset_gpu_peaks(int index) {
    allocator::emptyCache();
    allocator::resetPeakStats(index_of(index));
}

std::vector<std::pair<std::string, std::string>> gpu_facts(int index) {
    const auto* const gpu = at::cuda::getDeviceProperties(index_of(index));
    const auto of_thousands = [](int version) {
        return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    };
    return {
        {"gpu", gpu->name},
        {"gpu_capability", std::to_string(gpu->major) + "." + std::to_string(gpu->minor)},
        {"gpu_memory_bytes", std::to_string(gpu->totalGlobalMem)},
        {"cuda_version", of_thousands(CUDART_VERSION)}};
}

bool has_tf32(int index) {
    constexpr int first_major_with_it = 8;
    return at::cuda::getDeviceProperties(index_of(index))->major >= first_major_with_it;
}

}  // namespace vigil_bench
