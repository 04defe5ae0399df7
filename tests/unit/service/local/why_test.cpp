#include "service/local/why.hpp"

#include <catch2/catch.hpp>

#include "service/local/reading/order.hpp"

using namespace vigil;
using namespace vigil::local;

TEST_CASE("Operators of vigil-bench are asked for, whatever is measured", "[service][local]") {
    using All = std::vector<Profiler>;
    Order order;
    order.bench = "./run";
    CHECK(profilers_for(order, {}) == All{Profiler::callgrind});
    order.read_as = ReadAs{};
    order.read_as->program = "vigil-bench";
    CHECK(profilers_for(order, {}) == All{Profiler::operators, Profiler::callgrind});
    order.read_as = {};
    order.measure = Measure::memory;
    CHECK(profilers_for(order, {}) == All{Profiler::dhat});
    order.bench = "cd x && ../bench/vigil-bench --model mlp";
    CHECK(profilers_for(order, {}) == All{Profiler::operators, Profiler::dhat});
    order.read_as = ReadAs{};
    order.read_as->program = "Google Benchmark";
    order.read_as->kind = MetricKind::memory;
    CHECK(profilers_for(order, {}) == All{Profiler::dhat});
    CHECK(profilers_for(order, Profiler::perf) == All{Profiler::perf});
}
