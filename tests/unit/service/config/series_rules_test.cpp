#include "service/config/series_rules.hpp"

#include <algorithm>
#include <optional>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "service/config/check_config.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

Config here(const std::string& rules) {
    return parse_config(
        R"({"state_dir": "s", "machine_classes": {"box": {}},
            "workers": {"w": {"machine_class": "box"}},
            "projects": {"p": {"source": {"kind": "git", "repository": "/r"},
              "recipe": {"outputs": ["o"]},
              "suites": {"nightly": {"sort": {"command": ["./sort"]}, "scan": {"command": ["s"]}}},
              "matrix": [{"suite": "nightly", "machine_classes": ["box"]}],
              "series_rules": )" +
            rules + "}}}",
        "c.json");
}

std::string rules_refusal(const std::string& rules) {
    try {
        here(rules);
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

}  // namespace

TEST_CASE("Rules of series are read and written as they stand", "[service][config]") {
    const auto config = here(R"([{"benchmark": "so*", "judge": false},
                                 {"metric": "wall*", "direction": "higher_is_better"}])");
    const auto& rules = config.projects.at("p").series_rules;
    REQUIRE(rules.size() == 2);
    CHECK(rules[0] == SeriesRule{.benchmark = "so*", .judge = false});
    CHECK(rules[1] == SeriesRule{.metric = "wall*", .direction = Direction::higher_is_better});
    CHECK(list_useless_rules(config).empty());
    const auto again = parse_config(effective_config(config), "effective.json");
    CHECK(again.projects.at("p").series_rules == rules);
    const ProjectSeriesRules book(config.projects.at("p"));
    CHECK(book.find({"", "sort", "default", "wall_time_ns", "box"}) == &rules[0]);
    CHECK(book.find({"", "scan", "default", "wall_time_ns", "box"}) == &rules[1]);
    CHECK(book.find({"", "scan", "default", "cpu_time_ns", "box"}) == nullptr);
}

TEST_CASE("A rule without effect is warned of", "[service][config]") {
    const auto useless = list_useless_rules(here(R"([{"suite": "nightly"},
        {"benchmark": "sort", "judge": false}, {"benchmark": "srot", "judge": false}])"));
    REQUIRE(useless.size() == 2);
    CHECK(useless[0].place == 1);
    CHECK(useless[0].why == "decides nothing: earlier rules fit all its series");
    CHECK(useless[1].place == 2);
    CHECK(useless[1].why == "fits no series of the matrix");
    const auto far = check_config(
        R"({"state_dir": "s", "projects": {"far": {"source": {"kind": "elsewhere"},
            "series_rules": [{"metric": "reported_*"}, {"suite": "x"}, {"metric": "walltime"}]}}})",
        "far.json");
    CHECK(far.errors.empty());
    REQUIRE(far.warnings.size() == 2);
    CHECK_THAT(far.warnings[0], Contains("projects.far.series_rules[1] fits nothing"));
    CHECK_THAT(far.warnings[1], Contains("projects.far.series_rules[2] fits nothing"));
}

TEST_CASE("A rule that is wrong is refused with its key", "[service][config]") {
    CHECK_THAT(rules_refusal(R"([{"direction": "up"}])"), Contains("series_rules[0].direction"));
    CHECK_THAT(rules_refusal(R"([{"judge": "no"}])"), Contains("series_rules[0].judge"));
    CHECK_THAT(rules_refusal(R"([{"variants": "a"}])"), Contains("variant"));
    CHECK_THAT(rules_refusal("{}"), Contains("must be a list"));
}

TEST_CASE("vigil-bench is judged by GPU time on a GPU, else by CPU time", "[service][config]") {
    const auto with = [](const std::string& more) {
        return parse_config(
            R"({"state_dir": "s", "machine_classes": {"box": {}},
                "workers": {"w": {"machine_class": "box"}},
                "projects": {"p": {"source": {"kind": "git", "repository": "/r"},
                  "recipe": {"outputs": ["o"]},
                  "suites": {"nightly": {
                    "net": {"kind": "torch", "command": ["--model", "mlp"],
                            "presets": ["infer-cpu", "infer-cuda"]},
                    "own": {"command": ["./run", "--device", "cuda"]}}},
                  "matrix": [{"suite": "nightly", "machine_classes": ["box"]}])" +
                more + "}}}",
            "c.json");
    };
    const auto judge = [](const Config& config, const std::string& benchmark, const char* variant) {
        const ProjectSeriesRules book(config.projects.at("p"));
        const auto* rule = book.find({"", benchmark, variant, "cpu_time_ns", "box"});
        CHECK(book.find({"", benchmark, variant, "gpu_time_ns", "box"}) == nullptr);
        return rule == nullptr ? std::optional<bool>() : rule->judge;
    };
    const auto plain = with("");
    const auto& judged = plain.projects.at("p").judged;
    CHECK(std::count(judged.begin(), judged.end(), Metric::gpu_time_ns) == 1);
    CHECK(judge(plain, "net", "infer-cuda") == false);
    CHECK_FALSE(judge(plain, "net", "infer-cpu"));
    CHECK_FALSE(judge(plain, "own", "default"));  // what it prints, its config says
    // What a person says decides.
    const auto listed = with(R"(, "judged": ["cpu_time_ns"])");
    CHECK_FALSE(judge(listed, "net", "infer-cuda"));
    const auto ruled = with(R"(, "series_rules": [{"metric": "cpu*", "judge": true}])");
    CHECK(judge(ruled, "net", "infer-cuda") == true);
}

TEST_CASE("A series says which rule holds for it, and from which change on", "[service][config]") {
    const auto config = here(R"([{"benchmark": "sort", "worse_ratio": 0.03, "worse_absolute": 500},
        {"benchmark": "scan", "metric": "reported_value", "judge": true},
        {"benchmark": "scan", "judge": false}])");
    const auto& project = config.projects.at("p");
    const auto& rules = project.series_rules;
    const auto words = [&](const SeriesRule* rule, Judging judging, double threshold) {
        return judging_words(project, rule, Metric::cpu_time_ns, judging, threshold);
    };
    CHECK(
        words(nullptr, Judging::as_metric, 0.07) ==
        R"(judged: cpu_time_ns is in "judged"; worse above 7 % (thresholds))");
    CHECK(
        words(&rules[0], Judging::as_metric, 0.05) ==
        R"(judged: cpu_time_ns is in "judged"; worse above 5 %, and by 500 of its unit )"
        "(series_rules[0])");
    CHECK(
        words(&rules[0], Judging::as_metric, 5e63) ==
        R"(judged: cpu_time_ns is in "judged"; worse by 500 of its unit (series_rules[0]))");
    CHECK(
        words(&rules[1], Judging::always, 0.07) ==
        "judged: series_rules[1] says so; worse above 7 % (thresholds)");
    CHECK(words(&rules[2], Judging::never, 0.07) == "not judged: series_rules[2] says so");
}

TEST_CASE(
    "Instructions are counted only of benchmarks that are judged by them", "[service][config]") {
    const auto counted = [](const Config& config) {
        std::string names;
        for (const auto& plan : config.projects.at("p").suites.at("nightly")) {
            if (plan.counts_instructions) names += plan.benchmark + " ";
        }
        return names;
    };
    CHECK(counted(here("[]")).empty());
    CHECK(counted(here(R"([{"benchmark": "*", "judge": true}])")).empty());
    CHECK(counted(here(R"([{"metric": "instructions", "judge": false}])")).empty());
    CHECK(counted(here(R"([{"benchmark": "so*", "metric": "instr*", "judge": true}])")) == "sort ");
    CHECK(counted(here(R"([], "judged": ["instructions"])")) == "scan sort ");
}

TEST_CASE("Each rule is listed with what it decides", "[service][config]") {
    const auto lines = list_decided(here(R"([{"benchmark": "sort", "worse_ratio": 0.03},
        {"metric": "wall*", "direction": "higher_is_better", "worse_absolute": 5},
        {"benchmark": "srot"}, {"judge": false}])"));
    CHECK(
        lines ==
        std::vector<std::string>{
            "p: series_rules[0] (every metric of sort (default) on box): judged where \"judged\" "
            "has the metric, worse above 3 %",
            "p: series_rules[1] (wall* of scan (default) on box): judged where \"judged\" has the "
            "metric, higher_is_better, worse by more than 5 of its unit",
            "p: series_rules[3] (every metric of scan (default) on box): not judged",
            "p: other series: judged where \"judged\" has the metric, worse above the thresholds"});
    CHECK(list_decided(here("[]")).empty());
}
