#include "schema/harness/units.hpp"

#include <catch2/catch.hpp>

namespace vigil::harness {
namespace {

std::string told(std::string_view quantity, std::string_view unit, std::string_view name = "") {
    const auto direction = direction_of(quantity, unit, name);
    if (!direction) return "not told";
    return *direction == Direction::lower_is_better ? "down" : "up";
}

TEST_CASE("A time for each of something is a time, whatever its name begins with", "[schema]") {
    for (const char* unit :
         {"ns/search",
          "ns/step",
          "ms/send",
          "us/sample",
          "\u00b5s/set",
          "cycles/step",
          "allocs/sample",
          "B/span",
          "bytes/string",
          "KiB/session",
          "compares/search",
          "seconds/shot",
          "ns/cycle"}) {
        INFO(unit);
        CHECK(told(unit, unit) == "down");
        CHECK(told("", unit) == "down");
    }
}

TEST_CASE("Rates grow, however they are spelled", "[schema]") {
    for (const char* unit :
         {"MB/s",
          "B/s",
          "GiB/sec",
          "ops/s",
          "req/sec",
          "ops/ms",
          "items/min",
          "1/s",
          "Mbit/s",
          "MBps",
          "GFLOPS",
          "GFlop/s",
          "insns/clk",
          "fps"}) {
        INFO(unit);
        CHECK(told("", unit) == "up");
    }
    for (const char* quantity :
         {"items_per_second",
          "bytes_per_second",
          "itemsPerSecond",
          "FOM: cycle ops per second",
          "throughput",
          "memory bandwidth",
          "speedup",
          "FLOPS",
          "hit_rate",
          "cache hit ratio",
          "instructions_per_cycle",
          "qps",
          "throughputPerCore"}) {
        INFO(quantity);
        CHECK(told(quantity, "") == "up");
    }
}

TEST_CASE("Costs shrink, by a word of the quantity", "[schema]") {
    for (const char* quantity :
         {"latency",
          "p99_us",
          "HTTPLatency",
          "compile time",
          "peak_rss",
          "miss_rate",
          "error rate",
          "cycles_per_instruction",
          "time_per_op",
          "per_iteration_time",
          "gc.count",
          "allocations",
          "page faults"}) {
        INFO(quantity);
        CHECK(told(quantity, "") == "down");
    }
}

TEST_CASE("What no word tells is not told, nor what two words contradict", "[schema]") {
    for (const char* quantity :
         {"FOM: rate",
          "Passed",
          "Size of type",
          "Value atomic",
          "score",
          "flops",
          "n",
          "nodes",
          "steps",
          "spans",
          "per",
          "",
          "bandwidth overhead"}) {
        INFO(quantity);
        CHECK(told(quantity, "") == "not told");
    }
    CHECK(told("", "x") == "not told");
    CHECK(told("", "%") == "not told");
    CHECK(told("gc.alloc.rate", "MB/sec") == "not told");
    CHECK(told("allocs_per_second", "") == "not told");
    CHECK(told("pause", "ns/s") == "not told");
    CHECK(told("throughput", "ms") == "not told");
}

TEST_CASE("The name tells only where there is no quantity", "[schema]") {
    CHECK(told("", "", "resnet50-eval_throughput") == "up");
    CHECK(told("", "", "resnet50-eval_latency") == "down");
    CHECK(told("", "ns", "BM_Throughput/8") == "down");
    CHECK(told("n", "", "BM_Throughput/8") == "not told");
}

}  // namespace
}  // namespace vigil::harness
