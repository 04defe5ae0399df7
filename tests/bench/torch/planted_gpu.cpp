// Loaded before vigil-bench: faults of a known size on the GPU, in each call of aten::linear, which
// mlp calls seven times an iteration. Each comes from a variable of the environment.
//
// VIGIL_PLANT_GPU_NS, VIGIL_PLANT_ASIDE_NS: keeps the GPU busy for so long, on the model's stream
// or on one that nobody waits for.
//
// VIGIL_PLANT_LEAK: keeps so many bytes of the GPU.
//
// VIGIL_PLANT_BLOAT: holds so many of them from the first call on.

#include <cstdlib>
#include <cuda_runtime_api.h>
#include <memory>
#include <string>
#include <vector>

#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/Sleep.h>
#include <ATen/ops/empty.h>
#include <ATen/record_function.h>
#include <c10/cuda/CUDAGuard.h>

namespace {

/// A kernel that spins for so many of the GPU's cycles.
constexpr auto spin = &at::cuda::sleep;

double planted(const char* name) {
    const char* text = std::getenv(name);
    return text != nullptr ? std::strtod(text, nullptr) : 0;
}

/// Of the GPU's clock, measured over the last of some spans, for which it has left idling.
double cycles_per_ns() {
    constexpr std::int64_t span = 100'000'000;
    const auto stream = at::cuda::getCurrentCUDAStream();
    cudaEvent_t start = nullptr;
    cudaEvent_t end = nullptr;
    cudaEventCreate(&start);
    cudaEventCreate(&end);
    float ms = 0;
    for (int i = 0; i < 4; ++i) {
        cudaEventRecord(start, stream);
        spin(span);
        cudaEventRecord(end, stream);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&ms, start, end);
    }
    cudaEventDestroy(start);
    cudaEventDestroy(end);
    return static_cast<double>(span) / (static_cast<double>(ms) * 1e6);
}

void keep_gpu_busy(double ns) {
    static const double rate = cycles_per_ns();
    spin(static_cast<std::int64_t>(ns * rate));
}

at::Tensor bytes(double count) {
    return at::empty({static_cast<std::int64_t>(count)}, at::device(at::kCUDA).dtype(at::kByte));
}

void plant() {
    static const double gpu_ns = planted("VIGIL_PLANT_GPU_NS");
    static const double aside_ns = planted("VIGIL_PLANT_ASIDE_NS");
    static const double leak = planted("VIGIL_PLANT_LEAK");
    static const double bloat = planted("VIGIL_PLANT_BLOAT");
    static std::vector<at::Tensor> kept;
    if (bloat > 0 && kept.empty()) kept.push_back(bytes(bloat));
    if (leak > 0) kept.push_back(bytes(leak));
    if (gpu_ns > 0) keep_gpu_busy(gpu_ns);
    if (aside_ns > 0) {
        static const auto stream = at::cuda::getStreamFromPool();
        const c10::cuda::CUDAStreamGuard guard(stream);
        keep_gpu_busy(aside_ns);
    }
}

std::unique_ptr<at::ObserverContext> on_call(const at::RecordFunction& function) {
    if (std::string(function.name()) == "aten::linear") plant();
    return nullptr;
}

const auto planter =
    at::addGlobalCallback(at::RecordFunctionCallback(&on_call).scopes({at::RecordScope::FUNCTION}));

}  // namespace
