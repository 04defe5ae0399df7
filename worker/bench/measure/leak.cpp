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

}  // namespace

Leak find_leak(const std::vector<double>& live_bytes, const std::vector<double>& iterations) {
    Leak leak;
    if (live_bytes.size() < 2) return leak;
    const auto slopes = slopes_of(live_bytes, iterations);
    leak.bytes_per_iteration = middle_of(slopes);
    const auto pairs = static_cast<double>(slopes.size());
    const auto n = static_cast<double>(std::min(live_bytes.size(), max_samples));
    const double spread = normal_of_95_percent * std::sqrt(n * (n - 1) * (2 * n + 5) / 18);
    const double last = pairs - 1;
    leak.low = slopes[static_cast<std::size_t>(
        std::clamp(std::floor((pairs - spread) / 2) - 1, 0.0, last))];
    leak.high =
        slopes[static_cast<std::size_t>(std::clamp(std::ceil((pairs + spread) / 2), 0.0, last))];
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

const char* to_text(LeakVerdict verdict) {
    switch (verdict) {
        case LeakVerdict::none: return "none";
        case LeakVerdict::leak: return "leak";
        case LeakVerdict::unclear: return "unclear";
    }
    return "unclear";
}

}  // namespace vigil_bench
