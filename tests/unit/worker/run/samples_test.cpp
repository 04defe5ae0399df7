#include "worker/run/samples.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"

using namespace vigil;
using namespace vigil::worker;

namespace {

SampleRule lines_of(Metric metric, const std::string& unit) {
    SampleRule rule;
    rule.format = SampleFormat::lines;
    rule.printed = metric;
    rule.unit = unit;
    return rule;
}

SampleRule rule_of(SampleFormat format, const std::string& select = "") {
    SampleRule rule;
    rule.format = format;
    rule.select = select;
    return rule;
}

void check_refused(const SampleRule& rule, const std::string& output, const std::string& why) {
    CAPTURE(output);
    CHECK_THROWS_WITH(read_printed(rule, output), Catch::Contains(why));
}

RunReport passed_with(const std::string& output) {
    RunReport report;
    report.end = RunEnd::exited;
    report.output = output;
    report.wall_time_ns = 2000;
    report.cpu_time_ns = 1000;
    report.peak_bytes = 4096;
    return report;
}

constexpr const char* google = R"({"context":{"num_cpus":2},"benchmarks":[
 {"name":"BM_a/8","run_name":"BM_a/8","run_type":"iteration","iterations":10,
  "real_time":1.5,"cpu_time":1.25,"time_unit":"us"},
 {"name":"BM_a/8","run_name":"BM_a/8","run_type":"iteration","iterations":10,
  "real_time":2.5,"cpu_time":2.25,"time_unit":"us"},
 {"name":"BM_a/8_mean","run_name":"BM_a/8","run_type":"aggregate","aggregate_name":"mean",
  "real_time":2,"cpu_time":1.75,"time_unit":"us"}]})";

}  // namespace

TEST_CASE("Lines are numbers of the declared metric in the declared unit", "[samples]") {
    const auto result = read_printed(lines_of(Metric::wall_time_ns, "ms"), "1.5\n\n 2e0 \r\n3");
    REQUIRE(result.samples.size() == 1);
    CHECK(result.samples[0].metric == Metric::wall_time_ns);
    CHECK(result.samples[0].values == std::vector<double>{1.5e6, 2e6, 3e6});
    const auto memory = read_printed(lines_of(Metric::peak_alloc_bytes, "MiB"), "2\n");
    CHECK(memory.samples[0].values == std::vector<double>{2.0 * 1024 * 1024});
    const auto rate = read_printed(lines_of(Metric::reported_value, "images/s"), "31.25\n");
    CHECK(rate.samples[0].values == std::vector<double>{31.25});
}

TEST_CASE("Lines that are no positive numbers are refused with their number", "[samples]") {
    const auto rule = lines_of(Metric::wall_time_ns, "ns");
    check_refused(rule, "1\nabc\n", "line 2");
    check_refused(rule, "1\n2 3\n", "line 2");
    check_refused(rule, "1,5\n", "line 1");
    check_refused(rule, "0x10\n", "line 1");
    check_refused(rule, "", "no value");
    check_refused(rule, " \n\n", "no value");
    check_refused(rule, "nan\n", "not finite");
    check_refused(rule, "inf\n", "not finite");
    check_refused(rule, "1e400\n", "line 1");
    check_refused(rule, "0\n", "positive");
    check_refused(rule, "-1\n", "positive");
    check_refused(rule, std::string("1\0\n", 3), "line 1");
}

TEST_CASE("A unit of another kind of metric is refused", "[samples]") {
    check_refused(lines_of(Metric::wall_time_ns, "MiB"), "1\n", "ns, us, ms, s");
    check_refused(lines_of(Metric::peak_process_bytes, "s"), "1\n", "KiB");
}

TEST_CASE("More samples than anybody needs are refused", "[samples]") {
    std::string output;
    for (int i = 0; i <= 100'000; ++i) output += "1\n";
    check_refused(lines_of(Metric::wall_time_ns, "ns"), output, "more than 100000");
}

TEST_CASE("Google Benchmark's iterations are samples, its aggregates are not", "[samples]") {
    const auto result = read_printed(rule_of(SampleFormat::google_benchmark), google);
    REQUIRE(result.samples.size() == 2);
    CHECK(result.samples[0].values == std::vector<double>{1500, 2500});
    CHECK(result.samples[1].metric == Metric::cpu_time_ns);
    CHECK(result.samples[1].values == std::vector<double>{1250, 2250});
}

TEST_CASE("One of several Google Benchmarks must be selected", "[samples]") {
    const std::string two = R"({"benchmarks":[
      {"name":"a","real_time":1,"cpu_time":1,"time_unit":"ns"},
      {"name":"b","real_time":2,"cpu_time":2,"time_unit":"ns"}]})";
    check_refused(rule_of(SampleFormat::google_benchmark), two, "select");
    check_refused(rule_of(SampleFormat::google_benchmark, "c"), two, "called \"c\"");
    const auto result = read_printed(rule_of(SampleFormat::google_benchmark, "b"), two);
    CHECK(result.samples[0].values == std::vector<double>{2});
}

TEST_CASE("A Google Benchmark that skipped with an error is refused", "[samples]") {
    check_refused(
        rule_of(SampleFormat::google_benchmark),
        R"({"benchmarks":[{"name":"a","error_occurred":true,"error_message":"no device",
            "real_time":0,"cpu_time":0,"time_unit":"ns"}]})",
        "no device");
}

TEST_CASE("hyperfine's times are wall time in seconds", "[samples]") {
    const std::string output = R"({"results":[{"command":"./a","mean":0.2,"user":0.125,
      "system":0.125,"times":[0.25,0.5],"exit_codes":[0,0]}]})";
    const auto result = read_printed(rule_of(SampleFormat::hyperfine), output);
    REQUIRE(result.samples.size() == 2);
    CHECK(result.samples[0].values == std::vector<double>{0.25e9, 0.5e9});
    CHECK(result.samples[1].values == std::vector<double>{0.25e9});
    check_refused(
        rule_of(SampleFormat::hyperfine),
        R"({"results":[{"command":"a","times":[1],"exit_codes":[1]}]})",
        "failed");
    check_refused(rule_of(SampleFormat::hyperfine), R"({"results":[]})", "no benchmark");
}

TEST_CASE(
    "What any benchmark program prints is read, its first quantity of each metric", "[samples]") {
    const auto go = read_printed(
        rule_of(SampleFormat::harness, "BenchmarkSort-2"),
        "BenchmarkSort-2 100 2.5 ns/op 16 B/op\nBenchmarkSort-2 100 3 ns/op 16 B/op\n"
        "BenchmarkOther-2 100 9 ns/op\n");
    REQUIRE(go.samples.size() == 1);
    CHECK(go.samples[0].metric == Metric::wall_time_ns);
    CHECK(go.samples[0].values == std::vector<double>{2.5, 3});
    const auto rate = read_printed(
        rule_of(SampleFormat::harness),
        R"({"binary":{"throughput":{"value":5.5},"file-size":{"value":42}}})");
    REQUIRE(rate.samples.size() == 1);
    CHECK(rate.samples[0].metric == Metric::reported_value);
    check_refused(rule_of(SampleFormat::harness), "hello\n", "none of the known formats");
    check_refused(
        rule_of(SampleFormat::harness),
        "benchmark,value,date\na,1,2026-11-01\na,1,2026-11-02\n",
        "several nights");
}

TEST_CASE("vigil-bench's samples come by metric; unused memory is left out", "[samples]") {
    const auto result = read_printed(
        rule_of(SampleFormat::vigil),
        R"({"vigil_bench":1,"outcome":"passed","model":"mlp","samples":
            {"cpu_time_ns":[5,6],"peak_alloc_bytes":[7],"peak_growth_bytes":[0,0]}})");
    REQUIRE(result.samples.size() == 2);
    CHECK(result.samples[0].values == std::vector<double>{5, 6});
    CHECK(result.samples[1].metric == Metric::peak_alloc_bytes);
}

TEST_CASE("Every exit code of vigil-bench keeps the outcome that its JSON says", "[samples]") {
    struct Told {
        int exit_code;
        const char* json;
        Outcome outcome;
    };
    BenchmarkPlan plan;
    plan.samples.format = SampleFormat::vigil;
    for (const auto& [exit_code, json, outcome] :
         {Told{1, "failed", Outcome::failed},
          Told{2, "failed", Outcome::failed},
          Told{3, "wrong", Outcome::wrong},
          Told{4, "oom", Outcome::oom},
          Told{5, "timeout", Outcome::timeout},
          Told{6, "failed", Outcome::failed},
          Told{77, "unsupported", Outcome::unsupported}}) {
        auto report = passed_with(
            std::string(R"({"vigil_bench":1,"outcome":")") + json + R"(","message":"its words"})");
        report.exit_code = exit_code;
        CAPTURE(exit_code);
        CHECK(samples_of(report, plan).outcome == outcome);
        CHECK(samples_of(report, plan).message == "its words");
    }
}

TEST_CASE("A vigil-bench that crashed has failed, with what it last said", "[samples]") {
    auto report = passed_with(
        R"({"vigil_bench":1,"outcome":"failed","message":"crashed with SIGSEGV while measuring"})");
    report.end = RunEnd::signalled;
    report.signal = 11;
    report.message = "killed by signal 11";
    report.errors = "vigil-bench: failed: crashed with SIGSEGV while measuring\n";
    BenchmarkPlan plan;
    plan.samples.format = SampleFormat::vigil;
    CHECK(samples_of(report, plan).outcome == Outcome::failed);
    CHECK_THAT(samples_of(report, plan).message, Catch::Contains("while measuring"));
}

TEST_CASE("What vigil-bench says beside its samples changes none of them", "[samples]") {
    const auto result = read_printed(
        rule_of(SampleFormat::vigil),
        R"({"vigil_bench":1,"outcome":"passed","samples":{"wall_time_ns":[3]},"info":{"metrics":
            {"leak":{"value":0,"interval":[0,0]},"instructions":{"absent":"no counter"}},
            "batch_search":{"tries":[{"batch":1}]}}})");
    REQUIRE(result.samples.size() == 1);
    CHECK(result.samples[0].values == std::vector<double>{3});
}

TEST_CASE("vigil-bench's other outcomes come with their message", "[samples]") {
    auto report =
        passed_with(R"({"vigil_bench":1,"outcome":"wrong","message":"differs by 3","samples":{}})");
    BenchmarkPlan plan;
    plan.samples.format = SampleFormat::vigil;
    CHECK(samples_of(report, plan).outcome == Outcome::wrong);
    report.exit_code = 4;
    CHECK(samples_of(report, plan).outcome == Outcome::wrong);
    CHECK(samples_of(report, plan).message == "differs by 3");
    CHECK(samples_of(report, plan).samples.empty());
}

TEST_CASE("Garbage is refused by every JSON format", "[samples]") {
    for (const auto format :
         {SampleFormat::google_benchmark, SampleFormat::hyperfine, SampleFormat::vigil}) {
        for (const auto* output :
             {"",
              "hello",
              "[]",
              "{}",
              "{\"results\":1}",
              "null",
              "{\"benchmarks\":[{}]}",
              "{\"vigil_bench\":2}",
              "{\"vigil_bench\":1,\"outcome\":\"passed\",\"samples\":{}}",
              "{\"vigil_bench\":1,\"outcome\":\"passed\",\"samples\":{\"speed\":[1]}}",
              "{\"vigil_bench\":1,\"outcome\":\"passed\",\"samples\":{\"cpu_time_ns\":[]}}",
              "{\"vigil_bench\":1,\"outcome\":\"passed\",\"samples\":{\"cpu_time_ns\":[0]}}",
              "{\"vigil_bench\":1,\"outcome\":\"passed\",\"samples\":{\"cpu_time_ns\":[null]}}"}) {
            CAPTURE(output);
            CHECK_THROWS_AS(read_printed(rule_of(format), output), Error);
        }
    }
}

TEST_CASE("The process's own numbers are added where it printed none", "[samples]") {
    BenchmarkPlan plan;
    const auto bare = samples_of(passed_with("hello\n"), plan);
    REQUIRE(bare.samples.size() == 3);
    CHECK(bare.samples[0].values == std::vector<double>{2000});
    CHECK(bare.samples[1].values == std::vector<double>{1000});
    CHECK(bare.samples[2].values == std::vector<double>{4096});
    plan.samples = lines_of(Metric::wall_time_ns, "ns");
    const auto printed = samples_of(passed_with("7\n8\n"), plan);
    REQUIRE(printed.samples.size() == 3);
    CHECK(printed.samples[0].values == std::vector<double>{7, 8});
    CHECK(printed.samples[1].metric == Metric::cpu_time_ns);
}

TEST_CASE(
    "The process of a program that sizes its own loop is told, and no sample of its time",
    "[samples]") {
    const auto metrics_of = [](const RunSamples& run) {
        std::vector<Metric> metrics;
        for (const auto& one : run.samples) metrics.push_back(one.metric);
        return metrics;
    };
    const std::string table = "sum    time:   [1.0 ms 1.1 ms 1.2 ms]\n";
    BenchmarkPlan plan;
    plan.command = {"./bench"};
    const auto told = samples_of(passed_with(table), plan);
    CHECK(told.outcome == Outcome::passed);
    REQUIRE(told.facts.size() == 1);
    CHECK(told.facts[0].name == "sizes_itself");
    CHECK(told.facts[0].text == "criterion: \"sum\"");
    plan.command = {"hyperfine", "--export-json", "out.json", "true"};
    const auto hidden = samples_of(passed_with("done\n"), plan);
    REQUIRE(hidden.facts.size() == 1);
    CHECK_THAT(hidden.facts[0].text, Catch::Contains("hyperfine (it printed none of"));
    // What it prints is its only time.
    plan.samples.format = SampleFormat::harness;
    const auto read = samples_of(passed_with(table), plan);
    CHECK(read.facts.empty());
    CHECK(metrics_of(read) == std::vector{Metric::wall_time_ns, Metric::peak_process_bytes});
    CHECK(read.samples[0].values == std::vector{1.1e6});
    plan = {};
    plan.command = {"./bench"};
    const auto plain = samples_of(passed_with("working\n"), plan);
    CHECK(plain.facts.empty());
    CHECK(plain.samples.size() == 3);
}

TEST_CASE("The tables that harnesses print for people are read", "[samples]") {
    const auto rule = rule_of(SampleFormat::harness, "BM_sum/8");
    const auto result = read_printed(
        rule,
        "Benchmark   Time   CPU   Iterations\n"
        "BM_sum/8   47.2 ms   47.1 ms   15\nBM_sum/64   94.2 ms   94.1 ms   15\n");
    REQUIRE(result.samples.size() == 2);
    CHECK(result.samples[0].values == std::vector<double>{47.2e6});
    CHECK(result.samples[1].metric == Metric::cpu_time_ns);
}

TEST_CASE("A run whose output cannot be read has failed, with the reason", "[samples]") {
    BenchmarkPlan plan;
    plan.samples = lines_of(Metric::wall_time_ns, "ns");
    const auto garbage = samples_of(passed_with("fast!\n"), plan);
    CHECK(garbage.outcome == Outcome::failed);
    CHECK_THAT(garbage.message, Catch::Contains("line 1"));
    CHECK(garbage.samples.empty());
    auto long_report = passed_with("1\n");
    long_report.truncated = true;
    CHECK(samples_of(long_report, plan).outcome == Outcome::failed);
}

TEST_CASE("No exit code is judged where its owner has judged it", "[samples]") {
    const std::string ignored = R"({"results":[{"command":"grep x","times":[0.25,0.5],)"
                                R"("exit_codes":[1,1]}]})";
    BenchmarkPlan plan;
    plan.samples = rule_of(SampleFormat::hyperfine);
    CHECK(samples_of(passed_with(ignored), plan).outcome == Outcome::failed);
    plan.samples.ignore_exit_code = true;
    const auto run = samples_of(passed_with(ignored), plan);
    CHECK(run.outcome == Outcome::passed);
    CHECK(run.samples.at(0).values == std::vector<double>{0.25e9, 0.5e9});
    plan.samples = lines_of(Metric::wall_time_ns, "ns");
    auto failed = passed_with("7\n");
    failed.exit_code = 1;
    CHECK(samples_of(failed, plan).outcome == Outcome::failed);
    plan.samples.ignore_exit_code = true;
    CHECK(samples_of(failed, plan).outcome == Outcome::passed);
    failed.end = RunEnd::signalled;
    CHECK(samples_of(failed, plan).outcome == Outcome::failed);
}

TEST_CASE("A failed run has no samples, whatever it printed", "[samples]") {
    auto report = passed_with("1\n");
    report.exit_code = 1;
    BenchmarkPlan plan;
    plan.samples = lines_of(Metric::wall_time_ns, "ns");
    CHECK(samples_of(report, plan).outcome == Outcome::failed);
    CHECK(samples_of(report, plan).samples.empty());
}

TEST_CASE("What vigil-bench says beside its samples comes along", "[samples]") {
    const auto rule = rule_of(SampleFormat::vigil);
    const auto run = read_printed(
        rule,
        R"({"vigil_bench": 1, "outcome": "passed", "samples": {"wall_time_ns": [5]}, "info": {
        "batch": 16, "backend": "jit", "exclusive": true, "tries": [1],
        "leak_bytes_per_iteration": 3,
        "accuracy": {"unchecked": "no\nmemory"}, "batch_search": {"chosen": 16, "tries": []},
        "metrics": {"throughput": {"value": 2.5, "unit": "rows/s", "of_one_process": 1.5},
        "leak": {"value": 9, "unit": "bytes/iteration", "interval": [8, 10], "verdict": "leak"},
        "instructions": {"unit": "x", "absent": "no counter"}}}})");
    const std::vector<RunFact> wanted{
        {.name = "accuracy.unchecked", .text = "no memory"},
        {.name = "backend", .text = "jit"},
        {.name = "batch", .value = 16},
        {.name = "batch_search.chosen", .value = 16},
        {.name = "exclusive", .text = "yes"},
        {.name = "instructions", .unit = "x", .text = "no counter"},
        {.name = "leak",
         .value = 9,
         .low = 8,
         .high = 10,
         .unit = "bytes/iteration",
         .text = "leak"},
        {.name = "throughput", .value = 2.5, .unit = "rows/s"},
        {.name = "throughput_of_one_process", .value = 1.5, .unit = "rows/s"}};
    auto facts = run.facts;
    std::sort(facts.begin(), facts.end(), [](const RunFact& a, const RunFact& b) {
        return a.name < b.name;
    });
    CHECK(facts == wanted);
    const auto failed = read_printed(
        rule, R"({"vigil_bench": 1, "outcome": "oom", "message": "full", "info": {"batch": 512}})");
    REQUIRE(failed.facts.size() == 1);
    CHECK(failed.facts[0].value == 512);
    // What cannot be read costs it nothing.
    const auto odd = read_printed(
        rule,
        R"({"vigil_bench": 1, "outcome": "passed", "samples": {"wall_time_ns": [5]}, "info": 3})");
    CHECK(odd.samples.size() == 1);
    CHECK(odd.facts.empty());
}
