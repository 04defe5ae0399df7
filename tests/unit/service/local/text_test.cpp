#include <limits>
#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "service/local/answer.hpp"
#include "service/local/reading/printed_cases.hpp"
#include "service/local/reading/printed_value.hpp"

using namespace vigil;
using namespace vigil::local;
using Catch::Contains;

TEST_CASE("Values are shown in units that people read", "[service][local]") {
    CHECK(value_text(1.5e9, "ns") == "1.500 s");
    CHECK(value_text(12.3e6, "ns") == "12.30 ms");
    CHECK(value_text(800, "ns") == "800.0 ns");
    CHECK(value_text(3.0 * 1024 * 1024, "bytes") == "3.000 MiB");
    CHECK(value_text(3.4, "ops/ms") == "3.400 ops/ms");
    CHECK(value_text(1234.5678, "") == "1234.6");
    CHECK(value_text(4.7249e7, "") == "47249000");
    CHECK(percent_text(std::numeric_limits<double>::infinity()) == "unknown");
}

TEST_CASE("The numbers that an output ends with are its samples", "[service][local]") {
    CHECK(printed_value("5\n") == 5);
    CHECK(printed_value("warming up\n\n3\n1\n2\n") == 2);
    CHECK(printed_value("7 rounds\n1e3\n") == 1000);
    CHECK(printed_value("[1, 2, 9]") == 2);
}

namespace {

worker::RunReport printed(const std::string& output) {
    worker::RunReport report;
    report.end = worker::RunEnd::exited;
    report.output = output;
    report.wall_time_ns = 3'000'000'000;
    report.cpu_time_ns = 2'000'000'000;
    report.peak_bytes = 4096;
    return report;
}

Order order_of(Measure measure, const std::string& select = "", const std::string& quantity = "") {
    Order order;
    order.bench = "./bench";
    order.measure = measure;
    order.select = select;
    order.quantity = quantity;
    return order;
}

/// "program: benchmark|quantity 12.0 ms", by a run's own output; or why not.
std::string read_from(const std::string& output, const Order& order) {
    try {
        const auto seen = find_read_as(printed(output), order);
        if (!seen)
            return "the process, " + value_text(value_of(printed(output), order), unit_of(order));
        const auto as = reading_as(order, seen->read_as);
        return seen->read_as.program + ": " + measure_text(as) + " " +
               value_text(value_of(printed(output), as), unit_of(as)) +
               (as.direction == Direction::higher_is_better ? " up" : "");
    } catch (const Error& error) {
        return fmt::format("{}: {}", to_string(error.code()), error.what());
    }
}

constexpr const char* google_head = "Benchmark   Time   CPU   Iterations UserCounters...\n";

}  // namespace

TEST_CASE("What a harness prints is read by default, in its unit", "[service][local]") {
    const std::string google =
        google_head + std::string("BM_sum   47.2 ms   47.1 ms   15 items_per_second=2.5M/s\n");
    CHECK(
        read_from(google, order_of(Measure::time)) == "Google Benchmark: time of BM_sum 47.20 ms");
    CHECK(
        read_from(google, order_of(Measure::samples)) ==
        "Google Benchmark: time of BM_sum 47.20 ms");
    CHECK(
        read_from(google, order_of(Measure::cpu)) ==
        "Google Benchmark: CPU time of BM_sum 47.10 ms");
    CHECK(
        read_from(google, order_of(Measure::quantity, "", "items_per_second")) ==
        "Google Benchmark: items_per_second of BM_sum 2500000 up");
    CHECK(read_from(google, order_of(Measure::memory)) == "the process, 4.000 KiB");
    CHECK(
        read_from(
            "BenchmarkSort-8 10 123 ns/op 16 B/op\n", order_of(Measure::quantity, "", "B/op")) ==
        "Go's testing package: B/op of BenchmarkSort-8 16.00 B/op");
    CHECK(
        read_from(
            "start\n{\"vigil_bench\":1,\"outcome\":\"passed\","
            "\"samples\":{\"wall_time_ns\":[4,5,6],\"peak_alloc_bytes\":[2048]}}\n",
            order_of(Measure::samples)) == "vigil-bench: wall_time_ns of vigil-bench 5.000 ns");
    CHECK(
        read_from(
            R"({"results":[{"command":"x","times":[0.5,0.25,1]}]})", order_of(Measure::time)) ==
        "hyperfine: time of x 500.0 ms");
    CHECK(
        read_from(
            "Benchmark   Mode  Cnt   Score   Error  Units\nA.b  thrpt  25  12.5 ± 0.1  ops/ms\n",
            order_of(Measure::time)) == "JMH: thrpt of A.b 12.50 ops/ms up");
    // Its own numbers, and no harness.
    CHECK(read_from("working\n", order_of(Measure::time)) == "the process, 3.000 s");
    CHECK(read_from("5\n6\n7\n", order_of(Measure::samples)) == "the process, 6");
}

TEST_CASE("Of several benchmarks all are read, unless one is asked for", "[service][local]") {
    const std::string two =
        google_head +
        std::string("BM_sum/8   47.2 ms   47.1 ms   15\nBM_sum/64   94.2 ms   94.1 ms   15\n");
    const auto seen = find_read_as(printed(two), order_of(Measure::time));
    REQUIRE(seen);
    CHECK(reads_all(reading_as(order_of(Measure::time), seen->read_as)));
    const auto all = cases_of(printed(two), order_of(Measure::cpu)).cases;
    REQUIRE(all.size() == 2);
    CHECK(all[1].name == "BM_sum/64");
    CHECK(all[1].value == Approx(94.1e6));
    CHECK_THROWS_WITH(cases_of(printed("done\n"), order_of(Measure::time)), Contains("no result"));
    CHECK_THAT(
        read_from(two, order_of(Measure::quantity, "", "cycles")), Contains("--metric cycles"));
    CHECK(
        read_from(two, order_of(Measure::time, "BM_sum/64")) ==
        "Google Benchmark: time of BM_sum/64 94.20 ms");
    CHECK_THAT(
        read_from(two, order_of(Measure::time, "BM_other")),
        Contains("no benchmark called \"BM_other\"") && Contains("\"BM_sum/64\""));
    CHECK_THAT(
        read_from(two, order_of(Measure::quantity, "BM_sum/8", "cycles")),
        Contains("--metric cycles") && Contains("\"time\", \"CPU time\""));
    CHECK_THAT(
        read_from("sum  time:   [1.0 ms 1.1 ms 1.2 ms]\n", order_of(Measure::cpu)),
        Contains("--metric cpu") && Contains("sizes its own loop"));
    CHECK_THAT(
        read_from("done\n", order_of(Measure::quantity, "", "items_per_second")),
        Contains("--metric must be one of time, cpu, memory, samples"));
}

TEST_CASE("The total time of a process that sizes its own loop is not judged", "[service][local]") {
    auto order = order_of(Measure::time);
    order.bench = "hyperfine --export-json x.json ./a > /dev/null";
    CHECK_THAT(
        read_from("", order),
        Contains("conflict") && Contains("hyperfine sizes its own loop") &&
            Contains("is not judged"));
    // A run that could not be looked at before is refused too.
    CHECK_THROWS_WITH(value_of(printed(""), order), Contains("sizes its own loop"));
    order.measure = Measure::memory;
    CHECK(read_from("", order) == "the process, 4.000 KiB");
    const std::string failed = google_head + std::string("BM_sum   ERROR OCCURRED: 'no data'\n");
    CHECK_THAT(read_from(failed, order_of(Measure::time)), Contains("BM_sum failed: 'no data'"));
    auto cut = printed(google_head + std::string("BM_sum   47.2 ms   47.1 ms   15\n"));
    cut.truncated = true;
    CHECK_THROWS_WITH(find_read_as(cut, order_of(Measure::time)), Contains("longer than"));
}

TEST_CASE("An output without a usable number says what it ends with", "[service][local]") {
    const auto why = [](const std::string& output) -> std::string {
        try {
            printed_value(output);
        } catch (const Error& error) {
            return error.what();
        }
        return "";
    };
    CHECK_THAT(why(""), Contains("printed nothing"));
    CHECK_THAT(why("12 ms"), Contains("\"12 ms\", which is no number"));
    CHECK_THAT(why("nan"), Contains("a value is nan"));
    CHECK_THAT(why("1\n-3\n"), Contains("a value is -3"));
    CHECK_THAT(why("inf"), Contains("a value is inf"));
    CHECK(printed_value("0") == 0);
    CHECK_THROWS_WITH(printed_value("0", false), Contains("a value is 0; all must be above 0"));
    CHECK_THAT(why("{\"x\":1}"), Contains("none of the known kinds"));
    CHECK_THAT(why("[1,\"2\"]"), Contains("more than numbers"));
    CHECK_THAT(why("[]"), Contains("no number"));
    CHECK_THAT(why("\x1b[31mred"), !Contains("\x1b"));
}
