#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "worker/run/samples.hpp"

using namespace vigil;
using namespace vigil::worker;

namespace {

RunReport process_that_printed(const std::string& output) {
    RunReport report;
    report.end = RunEnd::exited;
    report.output = output;
    report.wall_time_ns = 2000;
    report.cpu_time_ns = 1000;
    report.peak_bytes = 4096;
    return report;
}

}  // namespace

TEST_CASE("Instructions are a sample where they were counted", "[samples]") {
    BenchmarkPlan plan;
    plan.counts_instructions = true;
    CHECK(is_counted(plan));
    auto report = process_that_printed("done\n");
    CHECK(samples_of(report, plan).samples.size() == 3);
    report.counted = 5000;
    const auto run = samples_of(report, plan);
    REQUIRE(run.samples.size() == 4);
    CHECK(run.samples[2].metric == Metric::instructions);
    CHECK(run.samples[2].values == std::vector<double>{5000});
    plan.command = {"./bench"};
    report.output = "sum    time:   [1.0 ms 1.1 ms 1.2 ms]\n";  // it sizes its own loop
    plan.samples.format = SampleFormat::harness;
    CHECK(samples_of(report, plan).samples.size() == 2);
}

TEST_CASE("Of a run under callgrind the count alone is a sample", "[samples]") {
    BenchmarkPlan plan;
    plan.callgrind = true;
    plan.counts_instructions = true;
    CHECK_FALSE(is_counted(plan));
    auto report = process_that_printed("sum    time:   [1.0 ms 1.1 ms 1.2 ms]\n");
    report.counted = 5000;
    const auto run = samples_of(report, plan);
    REQUIRE(run.samples.size() == 1);
    CHECK(run.samples[0].metric == Metric::callgrind_instructions);
    CHECK(run.samples[0].values == std::vector<double>{5000});
    REQUIRE(run.facts.size() == 1);  // its loop is as long as time allows
    CHECK(run.facts[0].name == "sizes_itself");
    report.counted.reset();
    report.facts = {{.name = "instructions_not_counted", .text = "it had too many processes"}};
    CHECK(samples_of(report, plan).outcome == Outcome::failed);
    CHECK(samples_of(report, plan).message == "counting by callgrind: it had too many processes");
    report.exit_code = 77;
    CHECK(samples_of(report, plan).outcome == Outcome::unsupported);
}

TEST_CASE("vigil-bench counts the instructions of one iteration itself", "[samples]") {
    BenchmarkPlan plan;
    plan.samples.format = SampleFormat::vigil;
    const std::string output = R"({"vigil_bench": 1, "outcome": "passed",
        "samples": {"cpu_time_ns": [5]},
        "info": {"metrics": {"instructions": {"value": 700, "unit": "instructions/iteration"}}}})";
    const auto count_of = [&] {
        for (const auto& one : samples_of(process_that_printed(output), plan).samples) {
            if (one.metric == Metric::instructions) return one.values.at(0);
        }
        return 0.0;
    };
    CHECK(count_of() == 0);
    plan.counts_instructions = true;
    CHECK_FALSE(is_counted(plan));
    CHECK(count_of() == 700);
}
