#pragma once

#include <algorithm>
#include <cmath>
#include <string_view>

#include "schema/model/enum_names.hpp"

namespace vigil {

/// Which way a metric is better.
enum class Direction { lower_is_better, higher_is_better };

/// What a sample measures. `reported_value` is what a benchmark prints in a unit of its own.
enum class Metric {
    wall_time_ns,
    cpu_time_ns,
    gpu_time_ns,         ///< by the GPU's own events
    peak_process_bytes,  ///< the child process's own peak, never the harness's
    peak_growth_bytes,   ///< over its state before the model
    peak_alloc_bytes,    ///< the allocator's, exact
    peak_gpu_bytes,
    reported_value,
};

/// Which threshold of the config applies to a metric.
enum class MetricKind { time, memory, other };

constexpr MetricKind kind_of(Metric metric) {
    switch (metric) {
        case Metric::wall_time_ns:
        case Metric::cpu_time_ns:
        case Metric::gpu_time_ns: return MetricKind::time;
        case Metric::peak_process_bytes:
        case Metric::peak_growth_bytes:
        case Metric::peak_alloc_bytes:
        case Metric::peak_gpu_bytes: return MetricKind::memory;
        case Metric::reported_value: return MetricKind::other;
    }
    return MetricKind::other;
}

/// The unit of a metric's samples; `reported_value` has the unit its benchmark declares.
constexpr std::string_view unit_of(Metric metric) {
    switch (kind_of(metric)) {
        case MetricKind::time: return "ns";
        case MetricKind::memory: return "bytes";
        case MetricKind::other: return "";
    }
    return "";
}

/// The version of a metric's definition; a new definition is a new series.
constexpr int definition_of(Metric) {
    return 1;
}

/// How much worse `value` is than `base`; 0.07 means 7 % worse, negative is better.
/// @param base   the level before, metric's unit, > 0
/// @param value  the level after, same unit, > 0
/// @return  lower is better: value / base - 1; higher is better: base / value - 1
constexpr double change_ratio(double base, double value, Direction direction) {
    return direction == Direction::lower_is_better ? value / base - 1 : base / value - 1;
}

/// ln(1 + change_ratio), finite also where rounding made the ratio of two values 0.
inline double log_of_change(double change_ratio) {
    constexpr double least = -1 + 1e-12;
    return std::log1p(std::max(change_ratio, least));
}

}  // namespace vigil
