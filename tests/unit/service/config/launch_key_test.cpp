// How runs are started: variant over benchmark over machine class.

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "schema/model/error.hpp"
#include "service/config/config.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

/// @param of_class, of_benchmark  further keys
Config with_launch(const std::string& of_class, const std::string& of_benchmark) {
    constexpr const char* text = R"({{
        "state_dir": "s",
        "machine_classes": {{"quiet": {{{}}}, "other": {{}}}},
        "workers": {{"one": {{"machine_class": "quiet"}}}},
        "projects": {{"lab": {{
            "source": {{"kind": "git", "repository": "/srv/lab.git"}},
            "recipe": {{"outputs": ["out"]}},
            "suites": {{"all": {{"sort": {{"command": ["./sort"]{}}}}}}},
            "matrix": [{{"suite": "all", "machine_classes": ["quiet"]}}]}}}}}})";
    return parse_config(fmt::format(text, of_class, of_benchmark), "lab.json");
}

BenchmarkPlan plan_of(const Config& config, const std::string& variant) {
    for (const auto& plan : config.projects.at("lab").suites.at("all")) {
        if (plan.variant == variant) return launched(plan, config.projects.at("lab"), "quiet");
    }
    FAIL("there is no variant " << variant);
    return {};
}

std::string launch_refusal(const std::string& launch) {
    try {
        with_launch("", R"(, "launch": )" + launch);
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("The innermost launch counts, as a whole", "[service][config]") {
    const auto config = with_launch(
        R"("launch": {"cores": "0", "allocator": "tcmalloc"})",
        R"(, "launch": {"cores": "0-3", "memory_node": 1, "openmp": {"threads": 4}},
        "variants": {"wide": {}, "plain": {"launch": {}},
                     "core": {"launch": {"profile": "xeon-core"}}})");
    Launch wide;
    wide.cores = "0-3";
    wide.numa_memory = 1;
    wide.openmp.threads = 4;
    CHECK(plan_of(config, "wide").launch == wide);
    CHECK(plan_of(config, "plain").launch == Launch{});
    CHECK(plan_of(config, "core").launch->profile == LaunchProfile::xeon_core);

    const auto again = parse_config(effective_config(config), "lab.json");
    for (const auto* variant : {"wide", "plain", "core"}) {
        CAPTURE(variant);
        CHECK(plan_of(again, variant) == plan_of(config, variant));
    }
    CHECK(effective_config(again) == effective_config(config));
}

TEST_CASE("A benchmark without a launch has its machine class's", "[service][config]") {
    const auto config = with_launch(R"("launch": {"allocator": "jemalloc"})", "");
    const auto& lab = config.projects.at("lab");
    const auto& plan = lab.suites.at("all").front();
    CHECK_FALSE(plan.launch);
    CHECK(launched(plan, lab, "quiet").launch->allocator == Allocator::jemalloc);
    CHECK_FALSE(launched(plan, lab, "other").launch);
}

TEST_CASE("A launch that cannot be meant is refused with its key", "[service][config]") {
    CHECK_THAT(
        launch_refusal(R"({"cores": "3-1"})"), Contains("launch.cores") && Contains("0-3,8"));
    CHECK_THAT(launch_refusal(R"({"memory_node": 5000})"), Contains("launch.memory_node"));
    CHECK_THAT(launch_refusal(R"({"allocator": "mimalloc"})"), Contains("jemalloc, tcmalloc"));
    CHECK_THAT(launch_refusal(R"({"openmp": {"threads": -1}})"), Contains("launch.openmp.threads"));
    CHECK_THAT(launch_refusal(R"({"openmp": {"affinity": "a b"}})"), Contains("KMP_AFFINITY"));
    CHECK_THAT(
        launch_refusal(R"({"profile": "xeon-core", "cores": "0"})"),
        Contains("launch.profile") && Contains("stands alone"));
    CHECK_THAT(launch_refusal(R"({"core": "0"})"), Contains("cores"));
}
