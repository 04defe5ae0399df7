#include "schema/harness/read.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "schema/model/error.hpp"

namespace vigil::harness {
namespace {

std::string sample(const std::string& name) {
    std::ifstream file(VIGIL_SOURCE_DIR "/tests/data/harness/" + name);
    REQUIRE(file);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// Everything that a reading says, in one line.
std::string said(const Reading& reading) {
    std::string samples;
    for (const double one : reading.samples) samples += fmt::format(" {:.6g}", one);
    return fmt::format(
        "{}|{}|{}|{} {} x{:g}{}:{}",
        reading.benchmark,
        reading.quantity,
        to_string(reading.metric),
        reading.unit,
        !reading.direction                                ? "?"
        : reading.direction == Direction::lower_is_better ? "down"
                                                          : "up",
        reading.factor,
        reading.summary ? " summary" : "",
        samples);
}

std::vector<std::string> said(const Report& report) {
    std::vector<std::string> lines;
    for (const auto& reading : report.readings) lines.push_back(said(reading));
    return lines;
}

Report read_one(const std::string& text) {
    auto reports = read_reports(text, "file");
    REQUIRE(reports.size() == 1);
    return reports[0];
}

std::string error_of(const std::string& text) {
    try {
        read_reports(text, "night.json");
    } catch (const Error& error) {
        CHECK(error.code() == Errc::invalid_argument);
        return error.what();
    }
    return "none";
}

using Lines = std::vector<std::string>;

TEST_CASE("Read: Google Benchmark") {
    const auto report = read_one(sample("google_benchmark.json"));
    CHECK(report.harness == Harness::google_benchmark);
    CHECK(report.time_s == 1795454316);
    CHECK(report.machine == "bench-1");
    CHECK(report.environment.at("cpus") == "2");
    CHECK(report.failed == 2);
    REQUIRE(report.readings.size() == 9);
    CHECK(said(report.readings[0]) == "BM_Sort/256||wall_time_ns|us down x1000: 2.28654 2.27103");
    CHECK(
        said(report.readings[3]) ==
        "BM_Sort/256|items_per_second|reported_value| up x1: 1.17676e+08 1.16618e+08");
    CHECK(said(report.readings[8]) == "BM_Bad||wall_time_ns|ns down x1:");
}

TEST_CASE("Read: pytest-benchmark") {
    const auto report = read_one(sample("pytest_benchmark.json"));
    CHECK(report.harness == Harness::pytest_benchmark);
    CHECK(report.revision == "e7014e3e7e799aa492c1992e6b174861417d6175");
    CHECK(report.time_s == 1795454319);
    CHECK(report.environment.at("python_version") == "3.11.2");
    REQUIRE(report.readings.size() == 2);
    CHECK(report.readings[1].benchmark == "test_s.py::test_sort[1000]");
    CHECK(report.readings[1].samples.size() == 3);
}

TEST_CASE("Read: hyperfine") {
    CHECK(
        said(read_one(sample("hyperfine.json"))) ==
        Lines{
            "sleep 0.01||wall_time_ns|s down x1e+09: 0.0100868 0.0114737 0.0212819",
            "sleep 0.01|CPU time|cpu_time_ns|s down x1e+09 summary: 0.00186579",
            "sleep 0.02||wall_time_ns|s down x1e+09: 0.0199578 0.0223439 0.0213718",
            "sleep 0.02|CPU time|cpu_time_ns|s down x1e+09 summary: 0.00266404"});
}

TEST_CASE("Read: criterion: each value is of many iterations") {
    CHECK(
        said(read_one(sample("criterion.json"))) ==
        Lines{"norm||wall_time_ns|ns down x1: 4140 4000"});
    CHECK(
        said(read_one(sample("criterion.csv"))) ==
        Lines{"Fib/It||wall_time_ns|ns down x1: 8.2626 8.86762"});
}

TEST_CASE("Read: JMH") {
    const auto report = read_one(sample("jmh.json"));
    CHECK(report.environment.at("jdkVersion") == "17.0.8");
    CHECK(
        said(report) ==
        Lines{
            "org.example.Sorting.quick(order=random,size=1000)|avgt|wall_time_ns|us/op down "
            "x1000: 12.4 12.6 12.5 12.5",
            "org.example.Sorting.quick(order=random,size=1000)|gc.alloc.rate.norm|"
            "reported_value|B/op down x1: 4016 4016",
            "org.example.Sorting.quick|thrpt|reported_value|ops/ms up x1 summary: 80.1"});
}

TEST_CASE("Read: Go, as text and as events") {
    const auto report = read_one(sample("go.txt"));
    CHECK(report.environment.at("cpu") == "AMD EPYC");
    CHECK(
        said(report) ==
        Lines{
            "example.com/x.BenchmarkSort-2||wall_time_ns|ns/op down x1: 505.1 376.7",
            "example.com/x.BenchmarkSort-2|B/op|reported_value|B/op down x1: 896 896",
            "example.com/x.BenchmarkSort-2|allocs/op|reported_value|allocs/op down x1: 1 1",
            "example.com/x.BenchmarkSub/n=1-2||wall_time_ns|ns/op down x1: 0.458 0.4704",
            "example.com/x.BenchmarkSub/n=1-2|MB/s|reported_value|MB/s up x1: 218353 212587",
            "example.com/x.BenchmarkSub/n=1-2|hits/op|reported_value|hits/op up x1: 3.5 "
            "3.5"});
    const auto events = read_one(sample("go_events.json"));
    REQUIRE(events.readings.size() == 6);
    CHECK(
        said(events.readings[0]) ==
        "example.com/x.BenchmarkSort-2||wall_time_ns|ns/op down x1: 324.1");
}

TEST_CASE("Read: Catch2: named after the test case, its sections and itself") {
    CHECK(
        said(read_one(sample("catch2.xml"))) ==
        Lines{"sorting / small & \"quick\" / sort 100||wall_time_ns|ns down x1 summary: "
              "474.645"});
}

TEST_CASE("Read: BenchmarkDotNet") {
    const auto report = read_one(sample("benchmark_dot_net.json"));
    CHECK(report.failed == 1);
    CHECK(
        said(report) == Lines{
                            "N.T.M(n: 10)||wall_time_ns|ns down x1: 1.5 2 2.5",
                            "N.T.M(n: 10)|allocated|reported_value|B/op down x1 summary: 32",
                            "N.T.F||wall_time_ns|ns down x1:"});
}

TEST_CASE("Read: asv: one reading for each combination in its environment") {
    const auto report = read_one(sample("asv.json"));
    CHECK(report.revision == "cb63287e63db10ce3eb0f3b8c279fd995678d0ae");
    CHECK(report.machine == "m1");
    CHECK(report.environment.at("cpu") == "x");
    CHECK(
        said(report) ==
        Lines{
            "b.S.peakmem_y(1, 'a') [py3.11]||peak_process_bytes|bytes down x1 summary: 1",
            "b.S.peakmem_y(2, 'a') [py3.11]||peak_process_bytes|bytes down x1 summary: 3",
            "b.S.peakmem_y(2, 'b') [py3.11]||peak_process_bytes|bytes down x1:",
            "b.S.time_x [py3.11]||wall_time_ns|seconds down x1e+09 summary: 4.7e-07",
            "b.time_p(1) [py3.11]||wall_time_ns|seconds down x1e+09: 0.1 0.11",
            "b.time_p(2) [py3.11]||wall_time_ns|seconds down x1e+09 summary: 0.2"});
    CHECK(report.readings[0].definition == "v");
    CHECK(report.readings[0].former == "b.S.peakmem_y(1, 'a')");
}

TEST_CASE("Read: TorchBench's userbenchmark") {
    const auto report = read_one(sample("torchbench.json"));
    CHECK(report.revision == "2236df1770800ffea5697b11b0bb0d910b2e59e1");
    CHECK(report.failed == 1);
    CHECK(said(report.readings[0]) == "resnet50-eval_latency|cpu|reported_value| down x1: 469.5");
}

TEST_CASE("Read: dynamo: a model that did not run is known, and has no value") {
    const auto report = read_one(sample("dynamo.csv"));
    CHECK(report.failed == 1);
    CHECK(report.readings.back().family == "alexnet/cpu/batch ");
    CHECK(
        said(report.readings[0]) ==
        "BERT_pytorch/cpu/batch 2||wall_time_ns|ms down x1e+06: 58.9013");
    CHECK(
        said(report.readings[1]) ==
        "BERT_pytorch/cpu/batch 2|speedup|reported_value| up x1: 2.01404");
}

TEST_CASE("Read: Bencher Metric Format") {
    CHECK(
        said(read_one(sample("bmf.json"))) == Lines{
                                                  "a b||wall_time_ns|ns down x1: 88",
                                                  "a b|throughput|reported_value|ops/s up x1: 5.5",
                                                  "bin|file-size|reported_value| ? x1: 42"});
}

TEST_CASE("Read: a table: rows of one occasion are one report") {
    const auto reports = read_reports(sample("columns.csv"), "columns.csv");
    REQUIRE(reports.size() == 2);
    CHECK(reports[0].revision == "abc");
    CHECK(reports[0].time_s == 1793491200);
    CHECK(said(reports[0]) == Lines{"mlp||wall_time_ns|ms down x1e+06: 10.5 10.6"});
    CHECK(said(reports[1]) == Lines{"mlp||wall_time_ns|ms down x1e+06: 10.9"});
}

TEST_CASE("what cannot be read is refused with file and place") {
    CHECK(error_of("") == "reading night.json: it is empty");
    CHECK(
        error_of(R"({"benchmarks":[{"name":"a","real_time":"x"}]})") ==
        "reading night.json: file.benchmarks[0].real_time must be a number, not \"x\"");
    CHECK(
        error_of("<Catch><TestCase name='a'><BenchmarkResults name='b'><mean value='x'/>") ==
        "reading night.json: line 1, column 71: no element found");
    CHECK(
        error_of("<C><TestCase name='a'><BenchmarkResults name='b'><mean value='x'/>"
                 "</BenchmarkResults></TestCase></C>") ==
        "reading night.json: 'a / b': the mean 'x' is no number");
    CHECK(
        error_of("BenchmarkX 10 abc ns/op\n") ==
        "reading night.json: line 1: 'abc' is no number, in 'BenchmarkX 10 abc ns/op'");
    CHECK(
        error_of("benchmark,value\na\nb\n") ==
        "reading night.json: line 2: 1 cells, the header has 2 (and 1 more)");
    CHECK(
        error_of("benchmark,value\na,x\n") ==
        "reading night.json: line 2, column 3: 'x' is no finite number");
    CHECK(
        error_of("benchmark,value,date\na,1,yesterday\n") ==
        "reading night.json: line 2, column 5: must be a day like 2026-11-21 or a time like "
        "2026-11-21T04:05:06Z");
    CHECK(error_of(R"({"a":1})").starts_with("reading night.json: none of the known formats"));
    CHECK(error_of("hello world\n").starts_with("reading night.json: none of the known formats"));
    CHECK(error_of(R"({"benchmarks":[]})") == "reading night.json: it holds no benchmark");
}

TEST_CASE("Read: github-action-benchmark") {
    CHECK(
        said(read_one(sample("github_action_benchmark.json"))) ==
        Lines{
            "parse 1 MiB||wall_time_ns|ms down x1e+06: 12.5",
            "BenchmarkScan - ns/op||wall_time_ns|ns/op down x1: 310"});
}

TEST_CASE("Each format is read from a sample, and stands in import.md and histories.md") {
    // The begin of its heading with a command, and of its row in the table.
    const std::map<Harness, std::pair<std::string, std::string>> places = {
        {Harness::google_benchmark, {"**Google Benchmark**", "| Google Benchmark |"}},
        {Harness::pytest_benchmark, {"**pytest-benchmark**", "| pytest-benchmark |"}},
        {Harness::hyperfine, {"**hyperfine**", "| hyperfine |"}},
        {Harness::criterion, {"**criterion**", "| criterion |"}},
        {Harness::jmh, {"**JMH**", "| JMH |"}},
        {Harness::go, {"**Go**", "| Go |"}},
        {Harness::catch2, {"**Catch2**", "| Catch2 |"}},
        {Harness::benchmark_dot_net, {"**BenchmarkDotNet**", "| BenchmarkDotNet |"}},
        {Harness::asv, {"**asv**", "| asv |"}},
        {Harness::torchbench, {"**TorchBench**", "| TorchBench |"}},
        {Harness::dynamo, {"**PyTorch's benchmarks/dynamo**", "| PyTorch dynamo |"}},
        {Harness::bmf, {"**Bencher's BMF**", "| Bencher |"}},
        {Harness::github_action_benchmark,
         {"**github-action-benchmark**", "| github-action-benchmark |"}},
        {Harness::csv, {"**Any CSV**", "| any other | CSV"}}};
    std::set<Harness> sampled;
    for (const auto& entry :
         std::filesystem::directory_iterator(VIGIL_SOURCE_DIR "/tests/data/harness")) {
        const auto name = entry.path().filename().string();
        sampled.insert(read_reports(sample(name), name).front().harness);
    }
    const auto import = sample("../../../docs/import.md");
    const auto histories = sample("../../../docs/histories.md");
    for (const auto& [harness, word] : enum_names<Harness>) {
        CAPTURE(word);
        CHECK(sampled.contains(harness));
        REQUIRE(places.contains(harness));
        const auto& [heading, row] = places.at(harness);
        CHECK(import.find("\n" + heading) != import.npos);
        CHECK(histories.find("\n" + row) != histories.npos);
    }
}

TEST_CASE("a file that was cut off, or changed anywhere, is read or refused") {
    for (const auto& entry :
         std::filesystem::directory_iterator(VIGIL_SOURCE_DIR "/tests/data/harness")) {
        const auto name = entry.path().filename().string();
        const auto whole = sample(name);
        CAPTURE(name);
        std::size_t read = 0;
        std::size_t refused = 0;
        const auto take = [&](const std::string& text) {
            try {
                read_reports(text, name);
                ++read;
            } catch (const Error&) {
                ++refused;
            }
        };
        for (std::size_t end = 0; end < whole.size(); end += 1 + end / 64) {
            take(whole.substr(0, end));
            for (const char c : {'"', '{', ']', ',', '<', '\n', '9'}) {
                auto changed = whole;
                changed[end] = c;
                take(changed);
            }
        }
        CHECK(refused > 0);
        CHECK(read > 0);
    }
}

}  // namespace
}  // namespace vigil::harness
