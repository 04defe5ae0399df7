#pragma once

#include <string_view>

#include "schema/model/metric.hpp"

// What a unit's name and a quantity's name tell. Pure functions.

namespace vigil::harness {

struct Unit {
    MetricKind kind = MetricKind::other;
    double factor = 1;  ///< ns or bytes in one; 1 of any other unit
};

/// "ns", "usec", "ms/op", "seconds", "KiB", "B"; anything else is a unit of its own.
Unit unit_named(std::string_view name);

/// Which way is better where the harness does not say: rates ("ops/s", "items_per_second",
/// "throughput", "speedup") grow, everything else shrinks.
Direction direction_of(std::string_view quantity, std::string_view unit);

}  // namespace vigil::harness
