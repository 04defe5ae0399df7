#include "worker/bench/operators/peaks.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

#include <ATen/ATen.h>

namespace vigil_bench {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int tries = 4;

/// Of the fastest of some calls, after one that does not count.
double fastest_s(const std::function<void()>& work, const std::function<void()>& wait) {
    double fastest = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= tries; ++i) {
        wait();
        const auto start = Clock::now();
        work();
        wait();
        const double took = std::chrono::duration<double>(Clock::now() - start).count();
        if (i > 0) fastest = std::min(fastest, took);
    }
    return fastest;
}

/// Larger matrices until a product takes long enough to be no overhead.
double product_flops_per_s(const at::TensorOptions& options, const std::function<void()>& wait) {
    constexpr double long_enough_s = 0.05;
    constexpr std::int64_t largest = 8192;
    double best = 0;
    for (std::int64_t n = 256; n <= largest; n *= 2) {
        const auto a = at::ones({n, n}, options);
        auto product = at::empty({n, n}, options);
        const double took = fastest_s([&] { at::mm_out(product, a, a); }, wait);
        const auto side = static_cast<double>(n);
        best = std::max(best, 2 * side * side * side / took);
        if (took > long_enough_s) break;
    }
    return best;
}

/// More than caches hold.
double copied_bytes_per_s(const at::TensorOptions& options, const std::function<void()>& wait) {
    constexpr std::int64_t count = 32 << 20;
    const auto from = at::ones({count}, options.dtype(at::kFloat));
    auto to = at::zeros({count}, options.dtype(at::kFloat));
    const double took = fastest_s([&] { to.copy_(from); }, wait);
    return 2.0 * static_cast<double>(count) * sizeof(float) / took;
}

}  // namespace

Peaks measure_peaks(
    c10::ScalarType type, const std::string& device, const std::function<void()>& wait) {
    const at::NoGradGuard no_grad;
    const auto options = at::TensorOptions().dtype(type).device(c10::Device(device));
    Peaks peaks;
    peaks.type = c10::toString(type);
    try {
        peaks.flops_per_s = product_flops_per_s(options, wait);
        peaks.bytes_per_s = copied_bytes_per_s(options, wait);
    } catch (const std::exception&) {
        // Without peaks a profile has no shares of them.
    }
    return peaks;
}

}  // namespace vigil_bench
