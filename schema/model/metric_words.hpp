#pragma once

#include <string_view>

#include "schema/model/metric.hpp"

namespace vigil {

/// The metric as people call it.
constexpr std::string_view words_of(Metric metric) {
    switch (metric) {
        case Metric::wall_time_ns: return "wall time";
        case Metric::cpu_time_ns: return "CPU time";
        case Metric::gpu_time_ns: return "GPU time";
        case Metric::peak_process_bytes: return "peak memory of the process";
        case Metric::peak_growth_bytes: return "peak growth of memory";
        case Metric::peak_alloc_bytes: return "peak of the allocator";
        case Metric::peak_gpu_bytes: return "peak GPU memory";
        case Metric::reported_value: return "reported value";
    }
    return "";
}

}  // namespace vigil
