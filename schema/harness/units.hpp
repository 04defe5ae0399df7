#pragma once

#include <optional>
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

/// Which way is better where the harness does not say, by whole words of the quantity and the unit,
/// and of the name where there is no quantity. Rates grow ("ops/s", "items_per_second", "GFLOPS",
/// "speedup", "hit_rate"); times, memory and what is counted as a cost shrink, also where they are
/// told for each of something ("ns/search", "allocs/sample").
/// @return  nullopt where no word is known, or two that disagree ("gc.alloc.rate" in MB/s)
std::optional<Direction> direction_of(
    std::string_view quantity, std::string_view unit, std::string_view name = "");

}  // namespace vigil::harness
