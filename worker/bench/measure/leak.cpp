#include "worker/bench/measure/leak.hpp"

#include <algorithm>
#include <cmath>

namespace vigil_bench {

namespace {

constexpr std::size_t min_samples = 8;
constexpr std::size_t max_samples = 500;  // of more, evenly chosen ones: pairs grow as the square
constexpr double page_bytes = 4096;
constexpr double least_leak_bytes = 1;
constexpr double normal_of_95_percent = 1.959964;

/// Slopes of all pairs, in ascending order.
std::vector<double> slopes_of(
    const std::vector<double>& values, const std::vector<double>& iterations) {
    const std::size_t chosen = std::min(values.size(), max_samples);
    const auto index = [&](std::size_t i) {
        return chosen < 2 ? i : i * (values.size() - 1) / (chosen - 1);
    };
    std::vector<double> slopes;
    slopes.reserve(chosen * (chosen - 1) / 2);
    for (std::size_t i = 0; i < chosen; ++i) {
        for (std::size_t j = i + 1; j < chosen; ++j) {
            const double growth = values[index(j)] - values[index(i)];
            slopes.push_back(growth / (iterations[index(j)] - iterations[index(i)]));
        }
    }
    std::sort(slopes.begin(), slopes.end());
    return slopes;
}

double middle_of(const std::vector<double>& sorted) {
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/// Without a verdict. @param slopes  ascending, at least one
Leak slope_of(const std::vector<double>& slopes, std::size_t samples) {
    Leak leak;
    leak.bytes_per_iteration = middle_of(slopes);
    const auto pairs = static_cast<double>(slopes.size());
    const auto n = static_cast<double>(std::min(samples, max_samples));
    const double spread = normal_of_95_percent * std::sqrt(n * (n - 1) * (2 * n + 5) / 18);
    const double last = pairs - 1;
    leak.low = slopes[static_cast<std::size_t>(
        std::clamp(std::floor((pairs - spread) / 2) - 1, 0.0, last))];
    leak.high =
        slopes[static_cast<std::size_t>(std::clamp(std::ceil((pairs + spread) / 2), 0.0, last))];
    return leak;
}

/// Whether it cannot be the same leak: what keeps a tensor takes some bytes beside it.
bool is_more(const Leak& other, const Leak& known) {
    return other.low > 1.25 * known.high + page_bytes;
}

}  // namespace

Leak find_leak(const std::vector<double>& live_bytes, const std::vector<double>& iterations) {
    if (live_bytes.size() < 2) return {};
    const auto slopes = slopes_of(live_bytes, iterations);
    Leak leak = slope_of(slopes, live_bytes.size());
    const bool is_flat = slopes.front() == 0 && slopes.back() == 0;
    if (is_flat) {
        leak.verdict = LeakVerdict::none;
    } else if (live_bytes.size() >= min_samples && leak.low >= least_leak_bytes) {
        leak.verdict = LeakVerdict::leak;
    } else if (live_bytes.size() >= min_samples && leak.high < page_bytes) {
        leak.verdict = LeakVerdict::none;
    }
    return leak;
}

Leak find_coarse_leak(
    const std::vector<double>& live_bytes,
    const std::vector<double>& iterations,
    double grain_bytes) {
    if (live_bytes.size() < 2) return {};
    Leak leak = slope_of(slopes_of(live_bytes, iterations), live_bytes.size());
    const double made = iterations.back() - iterations.front();
    const bool is_sure = live_bytes.size() >= min_samples && leak.low >= least_leak_bytes;
    if (is_sure && leak.low * made >= grain_bytes) {
        leak.verdict = LeakVerdict::leak;
    } else if (leak.bytes_per_iteration * made < grain_bytes) {
        leak.verdict = LeakVerdict::none;
    }
    return leak;
}

LeakParts find_leaks(
    const std::vector<LiveBytes>& live_bytes, const std::vector<double>& iterations) {
    constexpr double malloc_grain = 64 << 10;
    constexpr double resident_grain = 1 << 20;
    const auto values_of = [&](std::int64_t LiveBytes::*count) {
        std::vector<double> values;
        for (const auto& one : live_bytes) values.push_back(static_cast<double>(one.*count));
        return values;
    };
    return {
        find_leak(values_of(&LiveBytes::tensors), iterations),
        find_coarse_leak(values_of(&LiveBytes::allocated), iterations, malloc_grain),
        find_coarse_leak(values_of(&LiveBytes::resident), iterations, resident_grain)};
}

Leak joined(const LeakParts& parts) {
    Leak all = parts.tensors;
    for (const Leak* part : {&parts.allocated, &parts.resident}) {
        const bool is_known = all.verdict == LeakVerdict::leak && !is_more(*part, all);
        if (part->verdict == LeakVerdict::leak && !is_known) all = *part;
    }
    const bool is_moving = parts.allocated.verdict == LeakVerdict::unclear;
    return is_moving && all.verdict == LeakVerdict::none ? parts.allocated : all;
}

const char* to_text(LeakVerdict verdict) {
    switch (verdict) {
        case LeakVerdict::none: return "none";
        case LeakVerdict::leak: return "leak";
        case LeakVerdict::unclear: return "unclear";
    }
    return "unclear";
}

}  // namespace vigil_bench
