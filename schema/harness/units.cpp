#include "schema/harness/units.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace vigil::harness {

namespace {

constexpr std::pair<std::string_view, Unit> names[] = {
    {"ps", {MetricKind::time, 1e-3}},
    {"ns", {MetricKind::time, 1}},
    {"nanoseconds", {MetricKind::time, 1}},
    {"us", {MetricKind::time, 1e3}},
    {"usec", {MetricKind::time, 1e3}},
    {"\u00b5s", {MetricKind::time, 1e3}},  // the micro sign
    {"\u03bcs", {MetricKind::time, 1e3}},  // the Greek letter
    {"microseconds", {MetricKind::time, 1e3}},
    {"ms", {MetricKind::time, 1e6}},
    {"msec", {MetricKind::time, 1e6}},
    {"milliseconds", {MetricKind::time, 1e6}},
    {"s", {MetricKind::time, 1e9}},
    {"sec", {MetricKind::time, 1e9}},
    {"seconds", {MetricKind::time, 1e9}},
    {"min", {MetricKind::time, 60e9}},
    {"B", {MetricKind::memory, 1}},
    {"bytes", {MetricKind::memory, 1}},
    {"kB", {MetricKind::memory, 1e3}},
    {"KB", {MetricKind::memory, 1e3}},
    {"MB", {MetricKind::memory, 1e6}},
    {"GB", {MetricKind::memory, 1e9}},
    {"KiB", {MetricKind::memory, 1024}},
    {"MiB", {MetricKind::memory, 1024.0 * 1024}},
    {"GiB", {MetricKind::memory, 1024.0 * 1024 * 1024}},
};

constexpr std::array<std::string_view, 10> words_of_rates = {
    "/s",
    "per_second",
    "per_sec",
    "throughput",
    "ops/",
    "speedup",
    "bandwidth",
    "qps",
    "fps",
    "thrpt"};

}  // namespace

Unit unit_named(std::string_view name) {
    if (name.ends_with("/op")) name.remove_suffix(3);
    const auto* const found =
        std::ranges::find(names, name, &std::pair<std::string_view, Unit>::first);
    return found == std::end(names) ? Unit{} : found->second;
}

Direction direction_of(std::string_view quantity, std::string_view unit) {
    const bool grows = std::ranges::any_of(words_of_rates, [&](std::string_view word) {
        return quantity.find(word) != quantity.npos || unit.find(word) != unit.npos;
    });
    return grows ? Direction::higher_is_better : Direction::lower_is_better;
}

}  // namespace vigil::harness
