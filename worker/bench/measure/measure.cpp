#include "worker/bench/measure/measure.hpp"

#include <algorithm>
#include <cmath>
#include <time.h>

namespace vigil_bench {

namespace {

constexpr std::size_t steady_window = 4;
constexpr double steady_ratio = 0.03;
constexpr double refill_share = 0.25;  // a longer iteration hardly notices cold caches
constexpr int max_iterations_per_sample = 1'000'000;

bool is_steady(const std::vector<double>& times) {
    if (times.size() < 2 * steady_window) return false;
    const auto window = static_cast<std::ptrdiff_t>(steady_window);
    const double last = median({times.end() - window, times.end()});
    const double before = median({times.end() - 2 * window, times.end() - window});
    return std::abs(last / before - 1) <= steady_ratio;
}

/// @return the time of one warm iteration, CPU; wall where the device works on after a call
double warm_up(
    const MeasureLimits& limits,
    const std::function<void()>& iterate,
    Device& device,
    Measured& measured) {
    std::vector<double> times;
    const clockid_t clock = device.is_asynchronous() ? CLOCK_MONOTONIC : CLOCK_PROCESS_CPUTIME_ID;
    device.synchronise();
    const double start_ns = now_ns(CLOCK_MONOTONIC);
    do {
        const double before_ns = now_ns(clock);
        iterate();
        device.synchronise();
        times.push_back(std::max(1.0, now_ns(clock) - before_ns));
        measured.warmup_steady = is_steady(times);
        measured.warmup_s = (now_ns(CLOCK_MONOTONIC) - start_ns) / 1e9;
        if (times.size() == 1) measured.first_step_ns = measured.warmup_s * 1e9;
    } while (!measured.warmup_steady && measured.warmup_s < limits.max_warmup_s);
    measured.warmup_iterations = static_cast<int>(times.size());

    const auto recent = std::min(times.size(), steady_window);
    const double iteration_ns =
        median({times.end() - static_cast<std::ptrdiff_t>(recent), times.end()});
    const double wanted = std::ceil(limits.sample_time_s * 1e9 / iteration_ns);
    measured.iterations_per_sample =
        static_cast<int>(std::clamp(wanted, 1.0, double{max_iterations_per_sample}));
    return iteration_ns;
}

/// One sample; the device is idle before and after it. @return its wall time
double take_sample(const std::function<void()>& iterate, Device& device, Measured& measured) {
    const double iterations = measured.iterations_per_sample;
    const double wall_ns = now_ns(CLOCK_MONOTONIC);
    const double cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
    device.mark_start();
    for (int i = 0; i < measured.iterations_per_sample; ++i) iterate();
    device.mark_end();
    device.synchronise();
    const double cpu_end_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
    const double wall_end_ns = now_ns(CLOCK_MONOTONIC);
    measured.cpu_time_ns.push_back((cpu_end_ns - cpu_ns) / iterations);
    measured.wall_time_ns.push_back((wall_end_ns - wall_ns) / iterations);
    if (const auto ns = device.marked_ns()) measured.device_time_ns.push_back(*ns / iterations);
    return wall_end_ns - wall_ns;
}

/// The samples themselves are not to grow the process that is watched.
void make_room(std::size_t samples, Measured& measured) {
    const auto touch = [&](auto& values) {
        values.resize(samples);
        values.clear();
    };
    touch(measured.wall_time_ns);
    touch(measured.cpu_time_ns);
    touch(measured.device_time_ns);
    touch(measured.live_bytes);
    touch(measured.device_live_bytes);
    touch(measured.iterations);
}

}  // namespace

double now_ns(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_nsec);
}

Measured measure(
    const MeasureLimits& limits,
    const std::function<void()>& iterate,
    const std::function<LiveBytes()>& live_bytes,
    Device& device,
    const std::function<void()>& pass_turn) {
    Measured measured;
    make_room(static_cast<std::size_t>(std::max(limits.max_samples, 0)), measured);
    const double iteration_ns = warm_up(limits, iterate, device, measured);
    const double turn_ns = limits.turn_time_s * 1e9;
    const bool refill = iteration_ns < refill_share * turn_ns;

    double in_turn_ns = 0;
    double elapsed_ns = 0;
    double made = 0;
    int samples = 0;
    while (samples < limits.max_samples &&
           (samples < limits.min_samples || elapsed_ns < limits.min_time_s * 1e9)) {
        if (pass_turn && in_turn_ns >= turn_ns) {
            pass_turn();
            if (refill) {
                iterate();
                device.synchronise();
                ++made;
            }
            in_turn_ns = 0;
        }
        const double taken_ns = take_sample(iterate, device, measured);
        made += measured.iterations_per_sample;
        measured.live_bytes.push_back(live_bytes());
        if (const auto bytes = device.live_bytes()) {
            measured.device_live_bytes.push_back(static_cast<double>(*bytes));
        }
        measured.iterations.push_back(made);
        ++samples;
        elapsed_ns += taken_ns;
        in_turn_ns += taken_ns;
    }
    return measured;
}

std::optional<DevicePeaks> peaks_of(Device& device, const std::function<void()>& iterate) {
    device.reset_peaks();
    iterate();
    iterate();
    device.synchronise();
    return device.peaks();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace vigil_bench
