#include "schema/harness/console/recognize.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "schema/model/error.hpp"

namespace vigil::harness {
namespace {

std::string console(const std::string& name) {
    std::ifstream file(VIGIL_SOURCE_DIR "/tests/data/harness_tables/" + name);
    REQUIRE(file);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// "name|quantity: values unit", a line for each reading.
std::vector<std::string> told(const std::optional<SelfSizing>& seen) {
    if (!seen) return {"not recognized"};
    if (!seen->report) return {seen->program + ": " + seen->problem};
    std::vector<std::string> lines;
    for (const auto& one : seen->report->readings) {
        std::string values;
        for (const double value : one.samples) values += fmt::format(" {:.6g}", value);
        lines.push_back(fmt::format("{}|{}:{} {}", one.benchmark, one.quantity, values, one.unit));
    }
    return lines;
}

std::vector<std::string> told(const std::string& output) {
    return told(recognize({"", output, ""}));
}

bool has(const std::vector<std::string>& lines, const std::string& line) {
    return std::ranges::count(lines, line) == 1;
}

TEST_CASE("Google Benchmark's table is read with its CPU time and counters", "[console]") {
    const auto seen = recognize({"./bench", console("google_table.txt"), ""});
    REQUIRE(seen);
    CHECK(seen->program == "Google Benchmark");
    CHECK(seen->exact_form == "BENCHMARK_FORMAT=json");
    const auto lines = told(seen);
    CHECK(has(lines, "BM_sum/1000|: 1605 ns"));
    CHECK(has(lines, "BM_sum/1000|CPU time: 803 ns"));
    CHECK(has(lines, "BM_sum/1000|foo: 3 "));
    CHECK(has(lines, "BM_sum/1000|items_per_second: 1.24563e+09 "));
    CHECK(has(lines, "BM_sum/64|: 86.8 ns"));
    // Repetitions are samples, and their mean and median no benchmarks.
    CHECK(has(lines, "with space/100/repeats:3|: 0 0 0 ms"));
    CHECK(benchmarks_of(*seen->report).size() == 6);
    const auto& readings = seen->report->readings;
    const auto failed = std::ranges::find(readings, std::string("BM_err"), &Reading::benchmark);
    REQUIRE(failed != readings.end());
    CHECK(failed->failure == "'it broke'");
    CHECK(std::ranges::count(readings, std::string("BM_sum/1000"), &Reading::benchmark) == 5);
}

TEST_CASE(
    "Google Benchmark is read with columns of counters, as CSV, and of aggregates alone",
    "[console]") {
    const auto tabular = told(console("google_tabular.txt"));
    CHECK(has(tabular, "BM_sum/1000|foo: 3 "));
    CHECK(std::ranges::any_of(tabular, [](const auto& line) {
        return line.starts_with("BM_sum/1000|items_per_second: 1.");
    }));
    const auto csv = told(console("google.csv"));
    CHECK(has(csv, "BM_sum/1000|foo: 3 "));
    CHECK(std::ranges::any_of(csv, [](const auto& line) {
        return line.starts_with("with space/100/repeats:3|CPU time: ") && line.ends_with(" ms");
    }));
    const auto few = told(console("google_aggregates.txt"));
    CHECK(has(few, "BM_sum/1000|: 2017 ns"));
    CHECK(has(few, "BM_sum/1000|CPU time: 731 ns"));
}

TEST_CASE(
    "Rows of Google Benchmark count without their head where it says that they are", "[console]") {
    const std::string row = "BM_sum      47.2 ms         47.1 ms           15\n";
    CHECK(told(row) == std::vector<std::string>{"not recognized"});
    const std::string context = "Running ./b\nRun on (2 X 2100 MHz CPU s)\n";
    CHECK(has(told(recognize({"./b | grep BM_sum", row, context})), "BM_sum|: 47.2 ms"));
    const auto hidden = recognize({"./b > /dev/null", "", context});
    REQUIRE(hidden);
    CHECK(!hidden->report);
    CHECK(hidden->program == "Google Benchmark");
}

TEST_CASE(
    "criterion's estimates are read, with throughput and names on lines of their own",
    "[console]") {
    const auto lines = told(
        "Benchmarking sum: Warming up for 3.0000 s\n"
        "sum                     time:   [47.100 ms 47.212 ms 47.300 ms]\n"
        "                        change: [-1.2% +0.1% +1.3%] (p = 0.80 > 0.05)\n"
        "                        No change in performance detected.\n"
        "Found 2 outliers among 100 measurements (2.00%)\n\n"
        "a group/with a name that is long/100\n"
        "                        time:   [1.1000 µs 1.2000 µs 1.3000 µs]\n"
        "                        thrpt:  [90.000 MiB/s 100.00 MiB/s 110.00 MiB/s]\n"
        "                 change:\n"
        "                        time:   [-5.0% -4.0% -3.0%] (p = 0.00 < 0.05)\n"
        "                        thrpt:  [+3.0% +4.0% +5.0%]\n");
    CHECK(has(lines, "sum|: 47.212 ms"));
    CHECK(has(lines, "a group/with a name that is long/100|: 1.2 µs"));
    CHECK(has(lines, "a group/with a name that is long/100|throughput: 1.04858e+08 B/s"));
    CHECK(lines.size() == 3);
    CHECK(
        has(told("running 1 test\ntest tests::sum ... bench:      47,212 ns/iter (+/- 1,234)\n"),
            "tests::sum|: 47212 ns"));
}

TEST_CASE("JMH's table is read with its parameters and secondary results", "[console]") {
    const auto lines = told(
        "# JMH version: 1.36\n# Run complete. Total time: 00:01:00\n\n"
        "Benchmark                          (kind)  (size)   Mode  Cnt     Score    Error   Units\n"
        "Sums.sum                             list     100   avgt    5    12,345 ±  0,123   ns/op\n"
        "Sums.sum:gc.alloc.rate.norm          list     100   avgt    5    24.000 ±  0.001    B/op\n"
        "Sums.sum                             list    1000  thrpt       3468.100            "
        "ops/ms\n"
        "Sums.tiny                             N/A     100   avgt    5    ≈ 10⁻³             "
        "ns/op\n");
    CHECK(has(lines, "Sums.sum(kind=list,size=100)|avgt: 12.345 ns/op"));
    CHECK(has(lines, "Sums.sum(kind=list,size=100)|gc.alloc.rate.norm: 24 B/op"));
    CHECK(has(lines, "Sums.sum(kind=list,size=1000)|thrpt: 3468.1 ops/ms"));
    CHECK(lines.size() == 3);
    CHECK(
        told("# JMH version: 1.36\n# Warmup: 5 iterations\n") ==
        std::vector<std::string>{"JMH: it printed none of the tables or files that are known"});
}

TEST_CASE("pytest-benchmark's tables are read, each in its unit", "[console]") {
    const auto lines = told(console("pytest.txt"));
    CHECK(has(lines, "test_p[a b]|: 230.769 ns"));
    CHECK(has(lines, "test_sum|: 175025 ns"));
    CHECK(has(lines, "test_sum|Max: 8.24952e+06 ns"));
    CHECK(has(lines, "test_g|: 51.3894 ms"));
    CHECK(has(lines, "test_g|OPS: 19.2856 ops/s"));
    CHECK(has(lines, "test_sum|OPS: 2716.1 ops/s"));
    const auto compared = told(
        "Name (time in us)              Min               Max            Mean          StdDev   "
        "Median   IQR  Outliers  OPS  Rounds  Iterations\n"
        "-----\n"
        "test_a (NOW)       1.0 (1.0)  2.0 (1.0)  1.5 (1.0)  0.1 (>1000.0)  1.4 (1.0)  0.1 (inf)  "
        "1;2  600.0 (1.0)  9  1\n"
        "test_a (0001_abc)  3.0 (3.0)  4.0 (2.0)  3.5 (2.3)  0.1 (1.0)  3.4 (2.4)  0.1 (1.0)  "
        "1;2  300.0 (0.5)  9  1\n-----\n");
    CHECK(has(compared, "test_a|: 1.4 us"));
    CHECK(!has(compared, "test_a (0001_abc)|: 3.4 us"));
}

TEST_CASE("Catch2's table is read with its test cases and sections, and long names", "[console]") {
    const auto lines = told(console("catch2.txt"));
    CHECK(has(lines, "Fibonacci / Fibonacci 10|: 410.162 ns"));
    CHECK(has(lines, "Fibonacci / Fibonacci 10|std dev: 19.0687 ns"));
    CHECK(
        has(lines,
            "Fibonacci / deep / a very long benchmark name that surely needs to be wrapped by the "
            "column|: 7.35048 us"));
    CHECK(lines.size() == 8);
}

TEST_CASE("hyperfine's text is read, and its CPU time", "[console]") {
    const auto lines = told(console("hyperfine.txt"));
    CHECK(has(lines, "sleep 0.02|: 22.9 ms"));
    CHECK(has(lines, "sleep 0.02|CPU time: 1.3e+06 ns"));
    CHECK(has(lines, "sleep 0.02|min: 20.4 ms"));
    CHECK(has(lines, "sleep 0.02|max: 47.3 ms"));
    CHECK(has(lines, "true|: 0.6 ms"));
    CHECK(
        has(told("Benchmark #1: sleep 1\n  Time (abs ≡):         1.001 s               "
                 "[User: 0.3 ms, System: 0.7 ms]\n"),
            "sleep 1|: 1.001 s"));
}

TEST_CASE("Go's lines are read among others, and prose is none", "[console]") {
    const auto lines = told(
        "downloading things\ngoos: linux\npkg: example.org/x\n"
        "BenchmarkSort-8   1000   123.5 ns/op   16 B/op   1 allocs/op\nPASS\n");
    CHECK(has(lines, "example.org/x.BenchmarkSort-8|: 123.5 ns/op"));
    CHECK(has(lines, "example.org/x.BenchmarkSort-8|B/op: 16 B/op"));
    CHECK(
        told("Benchmarks 3 runs done\nBenchmark 1 of 2\n") ==
        std::vector<std::string>{"not recognized"});
}

TEST_CASE("The files that harnesses write are recognized behind other text", "[console]") {
    const std::string json =
        R"({"context":{},"benchmarks":[{"name":"a","real_time":2,"cpu_time":1,"time_unit":"us"}]})";
    CHECK(has(told("[setup] begins\nreading <data>\n" + json + "\nall done\n"), "a|: 2 us"));
    const auto document = recognize({"", json, ""});
    REQUIRE(document);
    CHECK(document->exact_form.empty());
    // A file whose middle was not kept is seen, and not read.
    const auto cut = recognize(
        {"",
         R"(  "benchmarks": [
      "real_time": 2.0,
[... 9 bytes left out ...]
})",
         ""});
    REQUIRE(cut);
    CHECK(!cut->report);
}

TEST_CASE(
    "A program that sizes its own loop is seen by its command, or by what it says", "[console]") {
    const auto program = [](const std::string& command, const std::string& output = "") {
        const auto seen = recognize({command, output, ""});
        return seen && !seen->report ? seen->program : "none";
    };
    CHECK(program("hyperfine --export-json out.json './a' > /dev/null") == "hyperfine");
    CHECK(program("cd x && /usr/bin/cargo bench --quiet") == "criterion");
    CHECK(program("go test -run '^$' -bench=. ./... | tail -1") == "Go's testing package");
    CHECK(program("python3 -m pytest --benchmark-only -q") == "pytest-benchmark");
    CHECK(program("./bench --benchmark_out=x.json > /dev/null") == "Google Benchmark");
    CHECK(
        program("python3 -m timeit 'sum(range(9))'", "5000 loops, best of 5: 47 usec per loop") ==
        "timeit");
    CHECK(program("x", "fib x 1,234 ops/sec ±1.20% (90 runs sampled)") == "Benchmark.js");
    CHECK(program("x", "|  ns/op |  op/s |  err% |  total | benchmark") == "nanobench");
    CHECK(program("x", "\x1b[1m// * Summary *\x1b[0m") == "BenchmarkDotNet");
    // None of these decides how often it repeats.
    CHECK(program("./run 100", "100 loops\nBenchmark Time CPU\ntime: 12 ms") == "none");
    CHECK(program("go test ./...", "ok  example.org/x 1.2s") == "none");
    CHECK(program("pytest tests", "benchmark: 4.0 (defaults: timer=time.perf_counter)") == "none");
    CHECK(program("cat value", "1000\n") == "none");
    CHECK(program("x", R"({"results":[1,2]})") == "none");
}

TEST_CASE("Runs of a command that fails by nature count where that is told", "[console]") {
    const std::string json =
        R"({"results":[{"command":"grep x","times":[0.25,0.5,0.75],"exit_codes":[1,0,1]},)"
        R"({"command":"grep y","median":0.5,"times":[0.5],"exit_codes":[1]}]})";
    CHECK(
        told(recognize({"", json, ""})) ==
        std::vector<std::string>{"grep x|: 0.5 s", "grep y|: s"});
    const auto all = recognize({"", json, "", true});
    CHECK(told(all) == std::vector<std::string>{"grep x|: 0.5 0.25 0.75 s", "grep y|: 0.5 s"});
    CHECK(all->report->failed == 0);
    CHECK(all->report->readings.front().failed == 0);
}

TEST_CASE("A harness is known from a source file of its benchmarks", "[console]") {
    CHECK(harness_of_source("a/b_test.go", "func BenchmarkX(b *testing.B) {}") == Harness::go);
    CHECK(harness_of_source("benches/x.rs", "criterion_main!(b);") == Harness::criterion);
    CHECK(harness_of_source("t.py", "def test_x(benchmark):") == Harness::pytest_benchmark);
    CHECK(!harness_of_source("t.py", "# a benchmark\ndef test_x(n):"));
    CHECK(harness_of_source("B.java", "import org.openjdk.jmh.annotations.*;") == Harness::jmh);
    CHECK(
        harness_of_source("b.cc", "#include <benchmark/benchmark.h>") == Harness::google_benchmark);
    CHECK(
        harness_of_source("b.cc", "#include <catch2/catch.hpp>\nBENCHMARK(\"x\")") ==
        Harness::catch2);
    CHECK(!harness_of_source("b.cc", "int main() {}"));
}

TEST_CASE("Hostile tables are read in a time that their length bounds", "[console]") {
    for (const std::string& line :
         {std::string("[1,\n"),
          std::string("{\"a\":\n"),
          std::string("Benchmark Time CPU Iterations\n"),
          std::string("a 1 ns 1 ns 1\n"),
          std::string("\x1b[1;2\r"),
          std::string("\xff\xfe \n"),
          std::string("----------------------------\n"),
          std::string("x time: [1 ns 2 ns 3 ns]\n"),
          std::string("Benchmark 1: x\n  Range (min … max): … …\n"),
          std::string("(a) Mode Score Units\n")}) {
        std::string text;
        while (text.size() < 300'000) text += line;
        recognize({text, text, text});
    }
    SUCCEED();
}

TEST_CASE("A table of pytest-benchmark without columns is no table", "[schema][harness]") {
    CHECK(told("Name (time in ms) (x)\nabc\n").size() == 1);
}

TEST_CASE("What one output says twice is in one unit", "[schema][harness]") {
    const auto lines = told(
        "Benchmark 1: ./a\n  Time (mean ± σ):     900.0 ms ±   1.0 ms\n"
        "Benchmark 2: ./a\n  Time (mean ± σ):      1.100 s ±  0.010 s\n");
    for (const auto& line : lines) CHECK(line.find(": 1.1 ms") == line.npos);
}

}  // namespace
}  // namespace vigil::harness
