#include "worker/bench/measure/second_batch.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include "worker/bench/device/device.hpp"
#include "worker/bench/measure/measure.hpp"

namespace vigil_bench {

SecondBatch measure_second_batch(const std::function<void()>& iterate, Device& device) {
    // LibTorch looks at the first call with a size and compiles in the second.
    constexpr int first_calls = 2;
    constexpr int later_calls = 9;
    const auto time_of_one_ns = [&] {
        const auto start = std::chrono::steady_clock::now();
        iterate();
        device.synchronise();
        const std::chrono::duration<double, std::nano> taken =
            std::chrono::steady_clock::now() - start;
        return taken.count();
    };
    device.synchronise();
    double first_ns = 0;
    for (int i = 0; i < first_calls; ++i) first_ns += time_of_one_ns();
    std::vector<double> later;
    for (int i = 0; i < later_calls; ++i) later.push_back(time_of_one_ns());
    const double step_ns = median(std::move(later));
    return {step_ns, std::max(0.0, first_ns - first_calls * step_ns)};
}

}  // namespace vigil_bench
