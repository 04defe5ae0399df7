#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "service/config/check_config.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

Config with_benchmark(const std::string& keys, const std::string& commands = R"(["make"])") {
    return parse_config(
        R"({"state_dir": "s", "machine_classes": {"box": {}},
            "workers": {"w": {"machine_class": "box"}},
            "projects": {"p": {"source": {"kind": "git", "repository": "/r"},
              "recipe": {"outputs": ["o"], "commands": )" +
            commands + R"(}, "suites": {"nightly": {"sort": )" + keys + R"(}},
              "matrix": [{"suite": "nightly", "machine_classes": ["box"]}],
              "judged": ["instructions", "callgrind_instructions"]}}})",
        "c.json");
}

std::string benchmark_refusal(const std::string& keys, const std::string& commands = "[\"make\"]") {
    try {
        with_benchmark(keys, commands);
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("A benchmark, or one variant of it, is counted by callgrind", "[service][config]") {
    const auto config = with_benchmark(
        R"({"command": ["x"], "variants": {"time": {}, "count": {"callgrind": true}}})");
    const auto& plans = config.projects.at("p").suites.at("nightly");
    REQUIRE(plans.size() == 2);
    CHECK(plans[0].variant == "count");
    CHECK(plans[0].callgrind);
    CHECK_FALSE(plans[0].counts_instructions);  // they would be valgrind's
    CHECK_FALSE(plans[1].callgrind);
    CHECK(plans[1].counts_instructions);
    const auto again = parse_config(effective_config(config), "effective.json");
    CHECK(again.projects.at("p").suites.at("nightly") == plans);
    const auto whole = with_benchmark(R"({"command": ["x"], "callgrind": true})");
    CHECK(whole.projects.at("p").suites.at("nightly").at(0).callgrind);
    CHECK_THAT(
        benchmark_refusal(R"({"kind": "artifact", "command": ["x"], "callgrind": true})"),
        Contains("sort.callgrind is for the kind command alone"));
    CHECK_THAT(
        benchmark_refusal(R"({"command": ["x"], "samples": {"format": "harness"},
                              "variants": {"a": {"callgrind": true}}})"),
        Contains("variants.a.callgrind counts the whole process") &&
            Contains("samples.format must be none"));
}

TEST_CASE("The time of a build is a benchmark without a command", "[service][config]") {
    const auto config = with_benchmark(R"({"kind": "build"})");
    const auto& plans = config.projects.at("p").suites.at("nightly");
    REQUIRE(plans.size() == 1);
    CHECK(plans[0].kind == BenchmarkKind::build);
    CHECK_FALSE(plans[0].counts_instructions);
    const auto again = parse_config(effective_config(config), "effective.json");
    CHECK(again.projects.at("p").suites.at("nightly") == plans);
    CHECK_THAT(
        benchmark_refusal(R"({"kind": "build", "command": ["x"]})"),
        Contains("sort.command is not for the kind build"));
    CHECK_THAT(
        benchmark_refusal(R"({"kind": "build", "variants": {"a": {"args": ["x"]}}})"),
        Contains("variants.a.args is not for the kind build"));
    CHECK_THAT(
        benchmark_refusal(R"({"kind": "build"})", "[]"),
        Contains("recipe has no commands, whose time"));
}
