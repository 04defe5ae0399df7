#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
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
    instructions,            ///< of the processor, in user mode, by all processes of a run
    artifact_bytes,          ///< of what was built
    build_time_ns,           ///< of the recipe's commands, by the clock, without caches
    callgrind_instructions,  ///< as valgrind's callgrind counts them; never beside `instructions`
};

/// Which threshold of the config applies to a metric.
/// A count is of something that a run does, such as instructions.
enum class MetricKind { time, memory, count, other };

constexpr MetricKind kind_of(Metric metric) {
    switch (metric) {
        case Metric::wall_time_ns:
        case Metric::cpu_time_ns:
        case Metric::gpu_time_ns:
        case Metric::build_time_ns: return MetricKind::time;
        case Metric::peak_process_bytes:
        case Metric::peak_growth_bytes:
        case Metric::peak_alloc_bytes:
        case Metric::peak_gpu_bytes:
        case Metric::artifact_bytes: return MetricKind::memory;
        case Metric::instructions:
        case Metric::callgrind_instructions: return MetricKind::count;
        case Metric::reported_value: return MetricKind::other;
    }
    return MetricKind::other;
}

/// The unit of a metric's samples; `reported_value` has the unit its benchmark declares.
constexpr std::string_view unit_of(Metric metric) {
    switch (kind_of(metric)) {
        case MetricKind::time: return "ns";
        case MetricKind::memory: return "bytes";
        case MetricKind::count: return "instructions";
        case MetricKind::other: return "";
    }
    return "";
}

/// The version of a metric's definition; a new definition is a new series.
constexpr int definition_of(Metric) {
    return 1;
}

/// How much worse what comes from 0 is: no ratio tells it. Null on the wire, before all others in
/// their order, and above every threshold.
inline constexpr double from_zero = std::numeric_limits<double>::infinity();

/// How much worse `value` is than `base`; 0.07 means 7 % worse, negative is better.
/// @param base   the level before, metric's unit, >= 0
/// @param value  the level after, same unit, >= 0
/// @return  lower is better: value / base - 1; higher is better: base / value - 1; 0 where both are
///          0, from_zero where only the divisor is
constexpr double change_ratio(double base, double value, Direction direction) {
    const bool lower = direction == Direction::lower_is_better;
    const double good = lower ? base : value;
    const double bad = lower ? value : base;
    if (good == 0) return bad == 0 ? 0 : from_zero;
    return bad / good - 1;
}

/// 0 has no logarithm: it lies below all that is judged.
inline constexpr double stand_in_of_zero = 1e-61;

/// ln(value), of 0 that of its stand-in.
inline double log_of(double value) {
    return std::log(value == 0 ? stand_in_of_zero : value);
}
/// The value of such a logarithm.
inline double value_of_log(double logarithm) {
    const double value = std::exp(logarithm);
    return value < 2 * stand_in_of_zero ? 0 : value;
}

/// ln(1 + change_ratio), finite also where rounding made the ratio of two values 0, or where it is
/// from_zero.
inline double log_of_change(double change_ratio) {
    constexpr double least = -1 + 1e-12;
    return std::log1p(std::clamp(change_ratio, least, 1 / stand_in_of_zero));
}
/// The change ratio of a difference of logarithms.
inline double change_of_log(double difference) {
    constexpr double finite = 69;  // a factor of 1e30
    return difference > finite ? from_zero : std::expm1(difference);
}

/// Whether builds of one source differ in it by where the linker puts their code. What a program
/// takes or does is the same wherever it lies.
constexpr bool moves_with_layout(MetricKind kind) {
    return kind == MetricKind::time || kind == MetricKind::other;
}

/// Whether 0 is a value like others: of what is counted or taken. A time, a rate, the memory of a
/// whole process or its instructions are never 0.
constexpr bool may_be_zero(MetricKind kind, Direction direction) {
    const bool is_of_process = kind == MetricKind::time || kind == MetricKind::count;
    return !is_of_process && direction == Direction::lower_is_better;
}
constexpr bool may_be_zero(Metric metric, Direction direction) {
    return metric != Metric::peak_process_bytes && may_be_zero(kind_of(metric), direction);
}

}  // namespace vigil
