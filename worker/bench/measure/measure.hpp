#pragma once

#include <cstdint>
#include <ctime>
#include <functional>
#include <vector>

#include "worker/bench/device/device.hpp"
#include "worker/bench/measure/leak.hpp"

// Warm-up and repetition of anything that can be called, on any device. Knows nothing of LibTorch.

namespace vigil_bench {

struct MeasureLimits {
    double min_time_s = 0.6;
    double max_warmup_s = 0.5;
    double sample_time_s = 0.01;
    int min_samples = 20;
    int max_samples = 2000;
    double turn_time_s = 0.02;
};

struct Measured {
    std::vector<double> wall_time_ns;       ///< per iteration, one value per sample
    std::vector<double> cpu_time_ns;        ///< per iteration, all threads, same samples
    std::vector<double> device_time_ns;     ///< the same by the device's clock; empty: it has none
    std::vector<LiveBytes> live_bytes;      ///< after each sample
    std::vector<double> device_live_bytes;  ///< of the device's; empty: it has none
    std::vector<double> iterations;  ///< made until then since warm-up, those between turns too
    double first_step_ns = 0;        ///< wall time of the very first iteration
    int iterations_per_sample = 0;
    int warmup_iterations = 0;
    bool warmup_steady = false;  ///< false: warm-up was ended by its limit
    double warmup_s = 0;
};

/// Calls `iterate` until it is steady, then measures it.
///
/// Warm-up is steady when the median CPU time of the last four iterations is within 3 % of the
/// median of the four before; it ends there, or after max_warmup_s (at least one iteration runs).
/// On a device that works on after a call, wall time takes the place of CPU time there.
/// Then samples of `iterations_per_sample` iterations are taken until both min_time_s and
/// min_samples are reached, or max_samples is. A sample begins and ends with an idle device; within
/// it nobody waits for the device.
///
/// With `pass_turn`, it is called between samples whenever turn_time_s has gone by; the time it
/// takes does not count, and a short iteration after it, which fills the caches, is no sample.
Measured measure(
    const MeasureLimits& limits,
    const std::function<void()>& iterate,
    const std::function<LiveBytes()>& live_bytes,
    Device& device,
    const std::function<void()>& pass_turn = {});

/// The device's peaks over two iterations of their own, from a state in which it keeps nothing for
/// later; nothing where it has none.
std::optional<DevicePeaks> peaks_of(Device& device, const std::function<void()>& iterate);

/// What this clock says, in nanoseconds.
double now_ns(clockid_t clock);

/// Middle value; the mean of the two middle ones of an even number. values not empty.
double median(std::vector<double> values);

}  // namespace vigil_bench
