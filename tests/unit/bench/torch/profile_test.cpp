#include "worker/bench/operators/profile.hpp"

#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "worker/bench/arguments/arguments.hpp"
#include "worker/bench/suite/coverage.hpp"

using namespace vigil_bench;
using Catch::Contains;

namespace {

/// Two iterations of 1000 ns: a product, a copy that it makes, and 200 ns of no operator.
OperatorTrace two_iterations() {
    OperatorTrace trace;
    trace.uses = {
        {"aten::copy_", 2, 2, 400, 400, 64, {"2x2 2x2"}, {}},
        {"aten::linear", 2, 0, 1200, 1600, 32, {"2x2 2x2"}, {64, 0, 96, true}}};
    trace.events.resize(2);
    trace.events[0].start_ns = 100;
    trace.events[0].end_ns = 200;
    trace.events[1].use = 1;
    trace.events[1].start_ns = 50;
    trace.events[1].end_ns = 850;
    trace.events[1].flops = 32;
    trace.wall_ns = 2000;
    trace.registered = 40;
    return trace;
}

std::string line(const std::string& model, const std::string& operators) {
    return R"({"outcome":"passed","info":{"model":")" + model +
           R"(","profile":{"iterations":2,"registered":40,"operators":[)" + operators + "]}}}\n";
}

}  // namespace

TEST_CASE("A profile is of one iteration, the longest operator first", "[bench]") {
    const auto profile = profile_of(two_iterations(), 2);
    CHECK(profile.at("wall_time_ns") == 1000);
    CHECK(profile.at("outside_ns") == 200);
    CHECK(profile.at("registered") == 40);
    const auto& first = profile.at("operators").at(0);
    CHECK(first.at("name") == "aten::linear");
    CHECK(first.at("self_ns") == 600);
    CHECK(first.at("share") == 0.6);
    CHECK(first.at("bytes") == 16);
    CHECK(first.at("flops") == 32);
    CHECK(first.at("flops_per_s").get<double>() == Approx(32 / 800e-9));
    CHECK(first.count("bound") == 0);  // no peak was measured
    CHECK(profile.at("operators").at(1).at("backward") == 2);
    const auto held = profile_of(two_iterations(), 2, {1e9, 1e6, "Float"}).at("operators").at(0);
    CHECK(held.at("of_peak_flops").get<double>() == Approx(0.04));
    CHECK(held.at("bound") == "memory");
}

TEST_CASE("The CPU's time is of operators that compute, that copy, and of neither", "[bench]") {
    const auto shares = cpu_breakdown_of(two_iterations(), 1900);
    CHECK(shares.at("active").get<double>() == Approx(0.6));
    CHECK(shares.at("data_movement").get<double>() == Approx(0.2));
    CHECK(shares.at("idle").get<double>() == Approx(0.2));
    CHECK(shares.at("wall_time_ns") == 1900);
    OperatorTrace threads = two_iterations();
    threads.wall_ns = 100;  // several threads take more than the clock shows
    CHECK(cpu_breakdown_of(threads, 100).at("idle") == 0);
    CHECK(cpu_breakdown_of({}, 0).at("active") == 0);
}

TEST_CASE("A profile's table names what is left out", "[bench]") {
    auto trace = two_iterations();
    for (int i = 0; i < 20; ++i) {
        trace.uses.emplace_back();
        trace.uses.back().name = "aten::f" + std::to_string(i);
    }
    const auto table = profile_table(trace, 2);
    CHECK_THAT(table, Contains("aten::linear") && Contains("600 ns") && Contains("60.0 %"));
    CHECK_THAT(table, Contains("7 others") && Contains("in no operator"));
}

TEST_CASE("A trace has an event for each call", "[bench]") {
    const auto events = chrome_trace(two_iterations()).at("traceEvents");
    REQUIRE(events.size() == 2);
    CHECK(events.at(1).at("name") == "aten::linear");
    CHECK(events.at(1).at("ts") == 0.05);
    CHECK(events.at(1).at("dur") == 0.8);
    CHECK(events.at(1).at("args").at("flops") == 32);
}

TEST_CASE("Coverage says what a suite calls and what one model alone does", "[bench]") {
    std::istringstream lines(
        line("a", R"({"name":"aten::linear","forward":4,"backward":0},{"name":"prim::x"})") +
        line(
            "b",
            R"({"name":"aten::linear","forward":2,"backward":2},{"name":"aten::fft","forward":2})") +
        R"({"outcome":"failed","info":{"model":"c"}})"
        "\n");
    const auto coverage = read_coverage(lines);
    const auto value = coverage_json(coverage);
    CHECK(value.at("registered") == 40);
    CHECK(value.at("called") == 2);
    CHECK(value.at("backward") == 1);
    CHECK(value.at("operators").at("aten::linear").at("forward") == 3);
    CHECK(value.at("alone").at("b").at(0) == "aten::fft");
    CHECK(value.at("without").at(0) == "c");
    const auto text = coverage_text(coverage);
    CHECK_THAT(text, Contains("2 models call 2 of the 40 operators of this LibTorch (5.0 %)"));
    CHECK_THAT(text, Contains("1 models have no profile: c") && Contains("b: 1 (fft)"));
}

TEST_CASE("Coverage of other files is refused", "[bench]") {
    for (const auto* text :
         {"",
          "hello\n",
          "[1]\n",
          R"({"info":{"model":"a"}})",
          R"({"info":{"model":7}})",
          R"({"info":{"model":"a","profile":{"operators":7}}})",
          R"({"info":{"model":"a","profile":{"operators":[7]}}})"}) {
        CAPTURE(text);
        std::istringstream lines(text);
        CHECK_THROWS_AS(read_coverage(lines), UsageError);
    }
}
