#pragma once

#include <string>
#include <string_view>

#include "schema/model/enum_names.hpp"
#include "schema/model/metric.hpp"

namespace vigil {

/// The metric as people call it.
constexpr std::string_view metric_words(Metric metric) {
    switch (metric) {
        case Metric::wall_time_ns: return "wall time";
        case Metric::cpu_time_ns: return "CPU time";
        case Metric::gpu_time_ns: return "GPU time";
        case Metric::peak_process_bytes: return "peak process memory";
        case Metric::peak_growth_bytes: return "memory growth";
        case Metric::peak_alloc_bytes: return "peak allocated memory";
        case Metric::peak_gpu_bytes: return "peak GPU memory";
        case Metric::reported_value: return "reported value";
        case Metric::instructions: return "instructions";
        case Metric::callgrind_instructions: return "instructions by callgrind";
        case Metric::build_time_ns: return "build time";
        case Metric::artifact_bytes: return "artifact size";
    }
    return "";
}

/// The same of a name of the wire; one that no metric has stays as it is.
inline std::string metric_words(const std::string& name) {
    const auto metric = find_enum<Metric>(name);
    return metric ? std::string(metric_words(*metric)) : name;
}

}  // namespace vigil
