#include "schema/harness/units.hpp"

#include <algorithm>
#include <cctype>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

/// What a rate is told for each of: time, or a clock's steps.
constexpr std::string_view spans[] = {
    "s",    "sec",   "secs", "second",       "seconds", "ms",     "msec",    "millisecond",
    "us",   "usec",  "ns",   "microsecond",  "min",     "minute", "minutes", "h",
    "hour", "hours", "day",  "milliseconds", "cycle",   "cycles", "clk",     "clock"};

constexpr std::string_view growing_words[] = {
    "throughput", "throughputs", "thrpt",  "bandwidth", "speedup", "speedups", "qps",
    "fps",        "rps",         "tps",    "iops",      "bps",     "kbps",     "mbps",
    "gbps",       "tbps",        "kibps",  "mibps",     "gibps",   "kflops",   "mflops",
    "gflops",     "tflops",      "pflops", "mips",      "ipc",     "hits",     "accuracy"};

constexpr std::string_view shrinking_words[] = {
    "latency",    "latencies",   "time",         "times",        "duration",    "durations",
    "elapsed",    "runtime",     "walltime",     "cputime",      "overhead",    "slowdown",
    "delay",      "memory",      "mem",          "rss",          "heap",        "footprint",
    "alloc",      "allocs",      "allocated",    "allocation",   "allocations", "mallocs",
    "miss",       "misses",      "fault",        "faults",       "error",       "errors",
    "failure",    "failures",    "retry",        "retries",      "timeouts",    "stall",
    "stalls",     "gc",          "leak",         "leaked",       "evictions",   "spills",
    "collisions", "conflicts",   "compares",     "comparisons",  "probes",      "copies",
    "syscalls",   "switches",    "cycles",       "instructions", "insns",       "instrs",
    "breaks",     "recompiles",  "ns",           "us",           "ms",          "usec",
    "msec",       "nanoseconds", "microseconds", "milliseconds", "seconds",     "secs"};

template <class Words>
bool is_among(const Words& words, std::string_view word) {
    return std::ranges::find(words, word) != std::end(words);
}

/// "itemsPerSecond", "items_per_second" and "items/second" are the same three words.
std::vector<std::string> words_in(std::string_view text) {
    const auto lower = [&](std::size_t i) {
        return i < text.size() && std::islower(static_cast<unsigned char>(text[i])) != 0;
    };
    const auto upper = [&](std::size_t i) {
        return i < text.size() && std::isupper(static_cast<unsigned char>(text[i])) != 0;
    };
    std::vector<std::string> words(1);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (std::isalnum(byte) == 0 && byte < 0x80) {
            words.emplace_back();
            if (text[i] == '/') words.insert(words.end(), {"per", ""});
            continue;
        }
        const bool hump = upper(i) && i > 0 && lower(i - 1);
        // "HTTPLatency", but not "MBps".
        const bool last_of_several =
            upper(i) && i > 0 && upper(i - 1) && lower(i + 1) && lower(i + 2) && lower(i + 3);
        if (hump || last_of_several) words.emplace_back();
        words.back() += static_cast<char>(std::tolower(byte));
    }
    std::erase(words, "");
    return words;
}

using Told = std::optional<Direction>;

/// What is counted or taken: a cost, or something that one wants.
Told direction_of_words(std::span<const std::string> words) {
    bool grows = false;
    bool shrinks = false;
    std::string_view before;
    for (const auto& word : words) {
        const bool of_hits =
            before == "hit" && (word == "rate" || word == "ratio" || word == "percent");
        const bool is_wanted = of_hits || is_among(growing_words, word);
        // "memory bandwidth"
        if (!is_wanted || !before.starts_with("mem")) {
            shrinks = shrinks || is_among(shrinking_words, before);
        }
        grows = grows || is_wanted;
        before = word;
    }
    shrinks = shrinks || is_among(shrinking_words, before);
    if (grows == shrinks) return std::nullopt;
    return grows ? Direction::higher_is_better : Direction::lower_is_better;
}

/// So much of something for each of something else; of a rate, the time stands behind.
Told direction_of_share(std::span<const std::string> counted, std::string_view each, bool is_time) {
    if (!is_among(spans, each)) {
        return is_time ? Direction::lower_is_better : direction_of_words(counted);
    }
    const bool is_clock = each.starts_with("c");  // of a cycle, time is a cost
    if (is_time) return is_clock ? Told(Direction::lower_is_better) : std::nullopt;
    // Instructions for each cycle are work done; allocations for each second are neither.
    const bool is_work = is_clock && !counted.empty() && counted.back().starts_with("ins");
    if (is_work) return Direction::higher_is_better;
    return direction_of_words(counted) == Direction::lower_is_better
               ? std::nullopt
               : Told(Direction::higher_is_better);
}

Told direction_in(std::string_view text) {
    if (text.ends_with("FLOPS")) return Direction::higher_is_better;  // "FLOPs" are a count
    const auto words = words_in(text);
    const std::span all(words);
    const auto per = std::ranges::find(words, "per");
    if (per == words.end() || std::next(per) == words.end()) return direction_of_words(all);
    auto counted = all.first(static_cast<std::size_t>(per - words.begin()));
    if (counted.empty()) counted = all.subspan(2);  // "per iteration: time"
    const bool is_time = !counted.empty() && unit_named(counted.back()).kind == MetricKind::time;
    return direction_of_share(counted, *std::next(per), is_time);
}

/// A unit by itself, "ms", or for each of something, "B/span".
Told direction_of_unit(std::string_view unit) {
    if (unit_named(unit).kind != MetricKind::other) return Direction::lower_is_better;
    const auto slash = unit.find('/');
    if (slash == unit.npos) return direction_in(unit);
    const auto each = words_in(unit.substr(slash + 1));
    const bool is_rate = !each.empty() && is_among(spans, each.front());
    const auto counted = unit_named(unit.substr(0, slash)).kind;
    if (counted == MetricKind::memory) {
        return is_rate ? Direction::higher_is_better : Direction::lower_is_better;
    }
    return direction_in(unit);
}

}  // namespace

Unit unit_named(std::string_view name) {
    if (name.ends_with("/op")) name.remove_suffix(3);
    const auto* const found =
        std::ranges::find(names, name, &std::pair<std::string_view, Unit>::first);
    return found == std::end(names) ? Unit{} : found->second;
}

std::optional<Direction> direction_of(
    std::string_view quantity, std::string_view unit, std::string_view name) {
    const auto by_unit = direction_of_unit(unit);
    // Of Go, a quantity is its unit.
    const auto by_quantity = quantity == unit ? by_unit : direction_in(quantity);
    if (by_unit && by_quantity) return by_unit == by_quantity ? by_unit : std::nullopt;
    if (by_unit || by_quantity) return by_unit ? by_unit : by_quantity;
    return quantity.empty() ? direction_in(name) : std::nullopt;
}

}  // namespace vigil::harness
