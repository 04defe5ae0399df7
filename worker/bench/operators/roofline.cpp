#include "worker/bench/operators/roofline.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "worker/bench/operators/profile_text.hpp"

namespace vigil_bench {

namespace {

constexpr double ns_of_s = 1e9;

double per_s(double amount, double ns) {
    return ns > 0 ? amount * ns_of_s / ns : 0;
}

double ratio(double a, double b) {
    return b > 0 ? a / b : 0;
}

}  // namespace

const char* bound_of(const Work& work, const Peaks& peaks) {
    const bool is_compute = work.flops() * peaks.bytes_per_s > work.bytes * peaks.flops_per_s;
    return is_compute ? "compute" : "memory";
}

nlohmann::json roofline_json(const Work& work, double took_ns, const Peaks& peaks) {
    nlohmann::json value{
        {"flops", work.flops()},
        {"product_flops", work.product_flops},
        {"moved_bytes", work.bytes},
        {"flops_per_s", per_s(work.flops(), took_ns)},
        {"bytes_per_s", per_s(work.bytes, took_ns)},
        {"intensity", ratio(work.flops(), work.bytes)}};
    if (!(peaks.flops_per_s > 0) || !(peaks.bytes_per_s > 0)) return value;
    value["peaks"] = {
        {"flops_per_s", peaks.flops_per_s},
        {"bytes_per_s", peaks.bytes_per_s},
        {"type", peaks.type}};
    value["of_peak_flops"] = per_s(work.flops(), took_ns) / peaks.flops_per_s;
    value["of_peak_bytes"] = per_s(work.bytes, took_ns) / peaks.bytes_per_s;
    value["bound"] = bound_of(work, peaks);
    return value;
}

std::string roofline_text(const Work& work, double took_ns, const Peaks& peaks) {
    std::string text = "  " + amount_text(work.flops()) + "FLOP and " + amount_text(work.bytes) +
                       "B an iteration: " + amount_text(per_s(work.flops(), took_ns)) + "FLOP/s, " +
                       amount_text(per_s(work.bytes, took_ns)) + "B/s";
    if (!(peaks.flops_per_s > 0) || !(peaks.bytes_per_s > 0)) return text + "\n";
    return text + "\n  " + percent_text(per_s(work.flops(), took_ns) / peaks.flops_per_s) +
           " of the measured peak of " + amount_text(peaks.flops_per_s) + "FLOP/s, " +
           percent_text(per_s(work.bytes, took_ns) / peaks.bytes_per_s) + " of " +
           amount_text(peaks.bytes_per_s) + "B/s: " + bound_of(work, peaks) + "-bound\n";
}

}  // namespace vigil_bench
