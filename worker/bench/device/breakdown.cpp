#include "worker/bench/device/breakdown.hpp"

#include <algorithm>

namespace vigil_bench {

namespace {

/// How long at least one of them lasts.
double covered_ns(std::vector<Span> spans) {
    std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) {
        return a.start_ns < b.start_ns;
    });
    double covered = 0;
    double end_ns = 0;
    bool is_first = true;
    for (const Span& span : spans) {
        if (!(span.end_ns > span.start_ns)) continue;
        const double start_ns = is_first ? span.start_ns : std::max(span.start_ns, end_ns);
        covered += std::max(0.0, span.end_ns - start_ns);
        end_ns = is_first ? span.end_ns : std::max(span.end_ns, end_ns);
        is_first = false;
    }
    return covered;
}

}  // namespace

bool is_data_movement(const std::string& name) {
    const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
    return has("Memcpy") && !has("DtoD");
}

GpuShares break_down(const GpuTrace& trace) {
    std::vector<Span> all = trace.computing;
    all.insert(all.end(), trace.moving.begin(), trace.moving.end());
    const double busy_ns = covered_ns(std::move(all));
    const double active_ns = covered_ns(trace.computing);
    const double wall_ns = std::max(trace.wall_ns, busy_ns);
    GpuShares shares;
    shares.active = active_ns / wall_ns;
    shares.data_movement = (busy_ns - active_ns) / wall_ns;
    shares.idle = 1 - busy_ns / wall_ns;
    return shares;
}

}  // namespace vigil_bench
