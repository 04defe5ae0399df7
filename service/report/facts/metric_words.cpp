#include "service/report/facts/metric_words.hpp"

namespace vigil::service {

std::string metric_words(Metric metric) {
    switch (metric) {
        case Metric::wall_time_ns: return "wall time";
        case Metric::cpu_time_ns: return "CPU time";
        case Metric::gpu_time_ns: return "GPU time";
        case Metric::peak_process_bytes: return "peak process memory";
        case Metric::peak_growth_bytes: return "memory growth";
        case Metric::peak_alloc_bytes: return "peak allocated memory";
        case Metric::peak_gpu_bytes: return "peak GPU memory";
        case Metric::reported_value: return "reported value";
    }
    return "?";
}

}  // namespace vigil::service
