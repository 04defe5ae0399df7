#include <chrono>
#include <set>

#include <torch/csrc/autograd/profiler_kineto.h>

#include "worker/bench/device/gpu.hpp"

// LibTorch's profiler, Kineto, which has a GPU's work from CUPTI.

namespace vigil_bench {

namespace {

namespace profiler = torch::autograd::profiler;
namespace impl = torch::profiler::impl;

/// From LibTorch 2.4 on events count nanoseconds, before that microseconds.
template <class Event>
auto span_of(const Event& event, int) -> decltype(event.startNs(), event.durationNs(), Span()) {
    const auto start_ns = static_cast<double>(event.startNs());
    return {start_ns, start_ns + static_cast<double>(event.durationNs())};
}
template <class Event>
Span span_of(const Event& event, long) {
    constexpr double ns_per_us = 1e3;
    const auto start_us = static_cast<double>(event.startUs());
    return {start_us * ns_per_us, (start_us + static_cast<double>(event.durationUs())) * ns_per_us};
}

}  // namespace

GpuTrace trace_gpu(
    int iterations,
    const std::function<void()>& iterate,
    const std::function<void()>& synchronise) {
    // The CPU's side too: without it LibTorch drops the GPU's.
    const std::set<impl::ActivityType> activities{
        impl::ActivityType::CPU, impl::ActivityType::CUDA};
    const impl::ProfilerConfig config(impl::ProfilerState::KINETO);
    synchronise();
    profiler::prepareProfiler(config, activities);
    profiler::enableProfiler(config, activities);
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < iterations; ++i) iterate();
    synchronise();
    const std::chrono::duration<double, std::nano> wall = std::chrono::steady_clock::now() - start;
    constexpr int prefer_ns = 0;
    const auto result = profiler::disableProfiler();
    GpuTrace trace;
    trace.traced_wall_ns = wall.count();
    for (const auto& event : result->events()) {
        if (event.deviceType() != c10::DeviceType::CUDA) continue;
        auto& spans = is_data_movement(event.name()) ? trace.moving : trace.computing;
        spans.push_back(span_of(event, prefer_ns));
    }
    return trace;
}

}  // namespace vigil_bench
