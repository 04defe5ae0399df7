// What can be taken is taken; what cannot is named. A failure is no skip.

#include "schema/harness/collector.hpp"
#include "schema/model/error.hpp"
#include "tests/unit/schema/harness/reading_test.hpp"

namespace vigil::harness::testing {
namespace {

std::string why_refused(const std::string& text, const ReadOptions& options = {}) {
    try {
        read_reports(text, "n", options);
    } catch (const Error& error) {
        return error.what();
    }
    return "it was read";
}

TEST_CASE("asv: null failed, NaN was skipped on purpose") {
    const auto report = only_report(
        R"({"commit_hash":"c","env_name":"e","result_columns":["result","params","version"],)"
        R"("results":{"b.time_a":[[0.5,NaN,null],[["1","2","3"]],"v"],"b.time_b":[null,[["x","y"]],"v"],)"
        R"("b.time_c":[[1,2],[],"v"]}})");
    CHECK(
        values_of(report) == Lines{
                                 "b.time_a(1) [e]|: 0.5",
                                 "b.time_a(3) [e]| failed: no reason given",
                                 "b.time_b(x) [e]| failed: nothing of this benchmark ran",
                                 "b.time_b(y) [e]| failed: nothing of this benchmark ran"});
    CHECK(report.failed == 3);
    CHECK(report.left_out == Lines{"file.results.b.time_c[0] has 2 values for 1 combinations"});
}

TEST_CASE("asv: version 1 is read too") {
    const auto report = only_report(
        R"({"commit_hash":"c","date":1300000000000,"version":1,"params":{"machine":"m","cpu":"c9",)"
        R"("python":"2.7"},"requirements":{"six":"1.2"},"results":{"p.time_one":0.25,"p.mem_two":90,)"
        R"("p.time_three":{"params":[["'u'","'v'"]],"result":[NaN,null]},"p.time_four":null}})");
    CHECK(report.time_s == 1'300'000'000);
    CHECK(report.environment.at("cpu") == "c9");
    CHECK(
        values_of(report) ==
        Lines{
            "p.mem_two [py2.7-six1.2]|: 90",
            "p.time_four [py2.7-six1.2]| failed: nothing of this benchmark ran",
            "p.time_one [py2.7-six1.2]|: 0.25",
            "p.time_three('v') [py2.7-six1.2]| failed: no reason given"});
}

TEST_CASE("asv: files beside the results are known as such") {
    CHECK(
        why_refused(R"({"arch":"arm64","cpu":"x","machine":"m","os":"L","version":1})") ==
        "reading n: asv's description of a machine, which holds no results");
    CHECK(
        why_refused(R"({"b.time_a":{"code":"x","type":"time","params":[]},"version":2})") ==
        "reading n: asv's list of its benchmarks, which holds no results");
}

TEST_CASE("Google Benchmark: rows that sum up are no benchmarks, in old files too") {
    const auto row = [](const std::string& name, double time) {
        return R"({"name":")" + name + R"(","real_time":)" + std::to_string(time) +
               R"(,"cpu_time":1,"time_unit":"us"})";
    };
    const auto old = only_report(
        R"({"benchmarks":[)" + row("Mul/8", 4) + "," + row("Mul/8", 6) + "," +
        row("Mul/8_mean", 5) + "," + row("Mul/8_stddev", 1) + "," + row("Mul/8_cv", 0.2) + "," +
        row("geo_mean", 3) +
        R"(,{"name":"Mul_BigO","cpu_coefficient":1,"big_o":"N"},{"name":"Mul_RMS","rms":0.1}]})");
    CHECK(
        values_of(old) ==
        Lines{"Mul/8|: 4 6", "Mul/8|CPU time: 1 1", "geo_mean|: 3", "geo_mean|CPU time: 1"});
    CHECK(old.left_out_count == 0);
    const auto only_sums = only_report(
        R"({"benchmarks":[)" + row("Div_mean", 5) + "," + row("Div_median", 7) + "," +
        row("Div_stddev", 1) + "]}");
    CHECK(values_of(only_sums) == Lines{"Div|: 7", "Div|CPU time: 1"});
}

TEST_CASE("Google Benchmark: aggregates alone are read whole") {
    const auto row = [](const std::string& what, double time, double rate) {
        return R"({"name":"X/2_)" + what + R"(","run_name":"X/2","run_type":"aggregate",)" +
               R"("aggregate_name":")" + what + R"(","real_time":)" + std::to_string(time) +
               R"(,"cpu_time":)" + std::to_string(time) +
               R"(,"time_unit":"ns","items_per_second":)" + std::to_string(rate) + "}";
    };
    const Lines median = {"X/2|: 20", "X/2|CPU time: 20", "X/2|items_per_second: 300"};
    CHECK(
        values_of(only_report(
            R"({"benchmarks":[)" + row("mean", 22, 310) + "," + row("median", 20, 300) + "," +
            row("cv", 0.1, 0.1) + "]}")) == median);
    CHECK(
        values_of(only_report(
            R"({"benchmarks":[)" + row("median", 20, 300) + "," + row("mean", 22, 310) + "]}")) ==
        median);
    CHECK(
        values_of(only_report(R"({"benchmarks":[)" + row("mean", 22, 310) + "]}"))[0] ==
        "X/2|: 22");
}

TEST_CASE("Go: what is no number and what is endless") {
    const auto report = only_report(
        "BenchmarkA-4 100 3 ns/op +Inf MB/s\nBenchmarkB-4 100 -Inf ns/op\nBenchmarkC-4 100 NaN "
        "ns/op "
        "7 B/op\nBenchmarkD-4 1 x1 ns/op\n");
    CHECK(values_of(report) == Lines{"BenchmarkA-4|: 3", "BenchmarkC-4|B/op: 7"});
    CHECK(report.left_out == Lines{"line 4: 'x1' is no number, in 'BenchmarkD-4 1 x1 ns/op'"});
}

TEST_CASE("Go: lines of results are enough, and logs may stand before them") {
    CHECK(
        values_of(
            only_report("Unit code-bytes assume=exact\n\nBenchmarkLen/a 1 700 code-bytes\n")) ==
        Lines{"BenchmarkLen/a|code-bytes: 700"});
    const Lines one = {"p.BenchmarkZ-2|: 8"};
    const std::string plain = "goos: linux\npkg: p\nBenchmarkZ-2 5 8 ns/op\nPASS\n";
    const std::string events = R"({"Action":"start","Package":"p"})"
                               "\n"
                               R"({"Action":"output","Package":"p","Output":"pkg: p\n"})"
                               "\n"
                               R"({"Action":"output","Package":"p","Output":"BenchmarkZ-2 5 8"})"
                               "\n"
                               R"({"Action":"output","Package":"p","Output":" ns/op\n"})"
                               "\n";
    CHECK(values_of(only_report("{\"level\":\"warn\"}\n{broken\n" + plain)) == one);
    CHECK(values_of(only_report("[info] begins\n" + plain)) == one);
    CHECK(values_of(only_report("go: downloading x v1\n" + events)) == one);
    CHECK(values_of(only_report("{\"msg\":\"x\"}\n" + events)) == one);
}

TEST_CASE("A format is seen from the structure, never from words somewhere in the text") {
    const std::string csv =
        "name,value,unit,time\n\"goos: BenchmarkA 1 2 ns/op\",5,ns/op,2026-01-01\n";
    CHECK(only_report(csv).harness == Harness::csv);
    CHECK(only_report(csv, {.format = Harness::csv}).readings[0].samples == std::vector<double>{5});
    CHECK(why_refused(csv, {.format = Harness::go}) == "reading n: it holds no benchmark");
    CHECK_THAT(why_refused("all is 5 ns/op here\n"), Catch::Contains("none of the known formats"));
    CHECK(
        only_report(R"({"results":[{"command":"echo 'BenchmarkX 1 2 ns/op'","times":[1]}]})")
            .harness == Harness::hyperfine);
    CHECK(only_report("name,value\na,1\n", {.format = Harness::csv}).harness == Harness::csv);
}

TEST_CASE("github-action-benchmark: its list, and its data of many pushes") {
    const auto list = only_report(
        R"([{"name":"parse","unit":"ms","value":12.5,"range":"3"},{"name":"BenchmarkA - ns/op",)"
        R"("unit":"ns/op","value":4},{"name":"bad","unit":"ms","value":"fast"}])");
    CHECK(list.harness == Harness::github_action_benchmark);
    CHECK(values_of(list) == Lines{"parse|: 12.5", "BenchmarkA - ns/op|: 4"});
    CHECK(list.left_out_count == 1);
    const auto pushes = read_reports(
        R"(window.BENCHMARK_DATA = {"lastUpdate":1,"entries":{"Speed":[{"commit":{"id":"c1"},)"
        R"("date":1700000000000,"tool":"customBiggerIsBetter","benches":[{"name":"p","value":3,"unit":"u"}]},)"
        R"({"commit":{"id":"c2"},"date":1700000100000,"tool":"customSmallerIsBetter","benches":[)"
        R"({"name":"p","value":4,"unit":"u"}]}]}};)",
        "data.js");
    REQUIRE(pushes.size() == 2);
    CHECK(pushes[0].revision == "c1");
    CHECK(pushes[0].readings[0].direction == Direction::higher_is_better);
    CHECK(pushes[1].time_s == 1'700'000'100);
    CHECK(pushes[1].readings[0].direction == Direction::lower_is_better);
}

TEST_CASE("Names that are too long are cut, and stay different") {
    const std::string begin(900, 'x');
    const auto report = only_report(
        R"({"results":[{"command":")" + begin + R"(1","times":[1]},{"command":")" + begin +
        R"(2","times":[2]},{"command":"","times":[3]}]})");
    REQUIRE(report.readings.size() == 2);
    CHECK(report.readings[0].benchmark.size() <= longest_name);
    CHECK(report.readings[0].benchmark != report.readings[1].benchmark);
    CHECK(report.left_out == Lines{"file.results[2]: a benchmark without a name"});
}

TEST_CASE("BenchmarkDotNet: old files, and facts of another shape") {
    const auto report = only_report(
        R"({"HostEnvironmentInfo":{"OsVersion":7,"ProcessorName":{"Value":"Core"},"RuntimeVersion":[1]},)"
        R"("Benchmarks":[{"Namespace":"L","Type":"T","Method":"M","Parameters":"n=2","Statistics":)"
        R"({"Median":5}},{"Type":"T","Statistics":{"Median":"x"}}]})");
    CHECK(values_of(report) == Lines{"L.T.M(n=2)|: 5"});
    CHECK(report.environment.at("ProcessorName") == "Core");
    CHECK(report.environment.at("OsVersion") == "7");
    CHECK(report.left_out_count == 1);
}

TEST_CASE("Facts of the processor are read from every format that has them") {
    const auto pytest = only_report(
        R"({"machine_info":{"node":"r","cpu":{"brand_raw":"Xeon 9","count":4}},"benchmarks":[)"
        R"({"fullname":"a","stats":{"median":1},"extra_info":{"rows":30,"kind":"x"}}]})");
    CHECK(pytest.environment.at("cpu") == "Xeon 9");
    CHECK(pytest.environment.at("cpus") == "4");
    CHECK(values_of(pytest) == Lines{"a|: 1", "a|rows: 30"});
    const auto google = [](const std::string& context) {
        return only_report(
                   R"({"context":{)" + context + R"(},"benchmarks":[{"name":"a","real_time":1}]})")
            .environment;
    };
    const auto cached = google(
        R"("num_cpus":4,"mhz_per_cpu":2793,"gpu_name":"G1","caches":[{"type":"Data","level":1,"size":32,)"
        R"("num_sharing":2},{"type":"Unified","level":3,"size":64,"num_sharing":8}])");
    CHECK(cached.at("caches") == "L1 32 x 2, L3 64 x 8");
    CHECK(cached.at("gpu_name") == "G1");
    CHECK_FALSE(cached.contains("mhz"));
    CHECK(google(R"("mhz_per_cpu":2793)") == google(R"("mhz_per_cpu":2805)"));
    CHECK(google(R"("mhz_per_cpu":2793)") != google(R"("mhz_per_cpu":2445)"));
}

TEST_CASE("dynamo: a file of accuracies: what passed, failed and was skipped") {
    const auto report = only_report(
        "dev,name,batch_size,accuracy\ncuda,a,4,pass\ncuda,b,4,fail_accuracy\ncuda,c,0,OOM\n"
        "cuda,d,4,pass_due_to_skip\n");
    CHECK(
        values_of(report) == Lines{
                                 "a/cuda/batch 4|accuracy: 1",
                                 "b/cuda/batch 4|accuracy failed: fail_accuracy",
                                 "c/cuda|accuracy failed: OOM"});
    CHECK(report.readings[2].family == "c/cuda/batch ");
}

TEST_CASE("Nothing that ran is a report where it is asked for") {
    const std::string nothing = R"({"machine_info":{"node":"r"},"benchmarks":[]})";
    CHECK(why_refused(nothing) == "reading n: it holds no benchmark");
    CHECK(only_report(nothing, {.takes_nothing = true}).readings.empty());
}

TEST_CASE("One bad row of a table or a file leaves the others") {
    const auto table =
        only_report("benchmark,value,unit\na,1,ms\nb,2\nc,\"x\"y,ms\nd,4,ms\nd,5,s\n,6,ms\n");
    CHECK(values_of(table) == Lines{"a|: 1", "d|: 4"});
    CHECK(table.left_out_count == 4);
    const auto bmf = only_report(R"({"a":{"latency":{"value":1},"x":{"value":"y"}},"b":7})");
    CHECK(values_of(bmf) == Lines{"a|: 1"});
    CHECK(bmf.left_out_count == 2);
}

TEST_CASE("hyperfine: a failure that is ignored costs no memory either") {
    auto report =
        only_report(R"({"results":[{"command":"lint","times":[0.1,0.2],"exit_codes":[1,0],)"
                    R"("memory_usage_byte":[1000,2000]}]})");
    take_failed(report);
    CHECK(report.failed == 0);
    CHECK(values_of(report) == Lines{"lint|: 0.2 0.1", "lint|peak memory: 2000 1000"});
}

TEST_CASE("CSV: a quote that is not closed costs its own row alone") {
    const auto report = only_report("benchmark,value\na,1\n\"b,2\nc,3\nd,4\n");
    CHECK(values_of(report) == Lines{"a|: 1", "c|: 3", "d|: 4"});
    CHECK(report.left_out_count == 1);
}

TEST_CASE("Names of any length are kept short with every value") {
    const std::string name(60'000, 'n');
    std::string times, memory;
    for (int i = 0; i < 2000; ++i) {
        times += std::string(i == 0 ? "" : ",") + "0.1";
        memory += std::string(i == 0 ? "" : ",") + "1000";
    }
    const auto report = only_report(
        "{\"results\":[{\"command\":\"" + name + "\",\"times\":[" + times +
        "],\"memory_usage_byte\":[" + memory + "]}]}");
    REQUIRE(report.readings.size() == 2);
    for (const auto& one : report.readings) CHECK(one.samples.size() == 2000);
    for (const auto& one : report.readings) CHECK(one.benchmark.size() <= longest_name);
}

TEST_CASE("asv: combinations of long texts have a limit of bytes") {
    std::string many = "\"0\"";
    for (int i = 1; i < 20'000; ++i) many += ",\"" + std::to_string(i) + "\"";
    std::string lists = "[" + many + "]";
    for (int i = 0; i < 200; ++i) lists += ",[\"" + std::string(490, 'x') + "\"]";
    const auto report = only_report(
        R"({"commit_hash":"c","result_columns":["result","params"],"results":{"b.time_a":[[1],[)" +
        lists + "]],\"b.time_b\":[[1],[]]}}");
    CHECK(values_of(report) == Lines{"b.time_b|: 1"});
    CHECK(report.left_out_count == 1);
}

}  // namespace
}  // namespace vigil::harness::testing
