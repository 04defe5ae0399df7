#include "worker/run/case_samples.hpp"

#include <cstdio>
#include <filesystem>
#include <utility>

#include <catch2/catch.hpp>

#include "schema/model/case_run.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/escape.hpp"

using namespace vigil;
using namespace vigil::worker;

namespace {

RunReport printed_run(const std::string& output) {
    RunReport report;
    report.end = RunEnd::exited;
    report.output = output;
    report.wall_time_ns = 2000;
    report.cpu_time_ns = 1000;
    report.peak_bytes = 4096;
    return report;
}

constexpr const char* two_cases = R"({"context":{"num_cpus":2},"benchmarks":[
 {"name":"BM_a/8","run_name":"BM_a/8","run_type":"iteration","iterations":10,
  "real_time":1.5,"cpu_time":1.25,"time_unit":"us","items_per_second":4e6,"depth":3},
 {"name":"BM_b","run_name":"BM_b","run_type":"iteration","iterations":10,
  "real_time":7,"cpu_time":6,"time_unit":"ns"},
 {"name":"BM_c","run_name":"BM_c","run_type":"iteration","iterations":0,
  "error_occurred":true,"error_message":"no file"}]})";

BenchmarkPlan plan_of_cases(CasePlan cases) {
    BenchmarkPlan plan;
    plan.command = {"./bench"};
    plan.samples.format = SampleFormat::harness;
    plan.cases = std::move(cases);
    return plan;
}

std::vector<std::string> names_in(const RunSamples& run) {
    std::vector<std::string> names;
    for (const auto& one : run.samples) {
        names.push_back(
            one.case_name + "|" + one.quantity + "|" + std::string(to_string(one.metric)));
    }
    return names;
}

}  // namespace

TEST_CASE("Of a program with cases each quantity of each case is read", "[samples][cases]") {
    const auto run = samples_of(printed_run(two_cases), plan_of_cases({{"*"}, {}, ""}));
    CHECK(run.outcome == Outcome::passed);
    CHECK(
        names_in(run) == std::vector<std::string>{
                             "BM_a/8||wall_time_ns",
                             "BM_a/8||cpu_time_ns",
                             "BM_a/8|depth|reported_value",
                             "BM_a/8|items_per_second|reported_value",
                             "BM_b||wall_time_ns",
                             "BM_b||cpu_time_ns",
                             "||peak_process_bytes"});
    CHECK(run.samples[0].values == std::vector<double>{1500});
    CHECK(run.samples[3].direction == Direction::higher_is_better);
    CHECK_FALSE(run.samples[2].direction);
    CHECK(run.case_failures == std::vector<CaseFailure>{{"BM_c", "no file"}});
    const auto guarded = guarded_samples_of(printed_run(two_cases), plan_of_cases({{"*"}, {}, ""}));
    CHECK(names_in(guarded) == names_in(run));
    CHECK(guarded.case_failures == run.case_failures);
    const auto some = samples_of(printed_run(two_cases), plan_of_cases({{"BM_b"}, {}, ""}));
    CHECK(some.samples.size() == 3);
    CHECK(some.case_failures.empty());
    const auto none = samples_of(printed_run(two_cases), plan_of_cases({{"x*"}, {}, ""}));
    CHECK(none.outcome == Outcome::failed);
}

TEST_CASE("A run of one case alone is of that case, or of nothing", "[samples][cases]") {
    const auto one = samples_of(printed_run(two_cases), plan_of_cases({{"*"}, {"{case}"}, "BM_b"}));
    CHECK(names_in(one) == std::vector<std::string>{"BM_b||wall_time_ns", "BM_b||cpu_time_ns"});
    const auto failed =
        samples_of(printed_run(two_cases), plan_of_cases({{"*"}, {"{case}"}, "BM_c"}));
    CHECK(failed.outcome == Outcome::failed);
    auto ended = printed_run("No test cases matched");
    ended.exit_code = 4;
    for (const auto& report : {printed_run(two_cases), printed_run(""), ended}) {
        const auto missed = samples_of(report, plan_of_cases({{"*"}, {"{case}"}, "BM_d"}));
        CHECK(missed.outcome == Outcome::unsupported);
        REQUIRE(missed.facts.size() == 1);
        CHECK(missed.facts.front().name == "case_not_printed");
    }
    auto crashed = printed_run("");
    crashed.end = RunEnd::signalled;
    crashed.signal = 11;
    CHECK(
        samples_of(crashed, plan_of_cases({{"*"}, {"{case}"}, "BM_d"})).outcome == Outcome::failed);
}

TEST_CASE("odd, [name] of \"a\" test\\case", "[cases]") {
    // Itself, by the program that runs it: only Catch2 says what its arguments mean.
    const std::string name = Catch::getResultCapture().getCurrentTestName();
    const auto self = std::filesystem::read_symlink("/proc/self/exe").string();
    auto plan = plan_of_cases({{"*"}, {"{case:catch2}"}, ""});
    const auto spec = of_case(std::move(plan), name + " / benchmark").command.back();
    const auto line = text::shell_word(self) + " --list-test-names-only " + text::shell_word(spec);
    FILE* const pipe = ::popen(line.c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string listed;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) listed += static_cast<char>(c);
    ::pclose(pipe);
    CHECK(std::string(text::trimmed(listed)) == name);
}
