#include <map>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "service/config/bench_models.hpp"
#include "service/config/config.hpp"

using namespace vigil;
using namespace vigil::service;
using Catch::Contains;

namespace {

/// @param benchmark  of the entry "start", and whatever follows it
std::string with_suite(const std::string& benchmark) {
    return R"({
  "state_dir": "state",
  "machine_classes": {"any": {}},
  "workers": {"w1": {"machine_class": "any"}},
  "projects": {"toy": {
    "source": {"kind": "git", "repository": "/srv/toy.git"},
    "recipe": {"outputs": ["out"]},
    "suites": {"core": {"start": )" +
           benchmark + R"(}},
    "matrix": [{"suite": "core", "machine_classes": ["any"]}]
  }}
})";
}

std::vector<BenchmarkPlan> unfolded(const std::string& benchmark) {
    const auto config = parse_config(with_suite(benchmark), "vigild.json");
    const auto again = parse_config(effective_config(config), "vigild.json");
    CHECK(again.projects.at("toy").suites == config.projects.at("toy").suites);
    return config.projects.at("toy").suites.at("core");
}

std::string why_refused_suite(const std::string& benchmark) {
    try {
        parse_config(with_suite(benchmark), "vigild.json");
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("One entry stands for models and for the paper's four ways", "[service][config]") {
    const auto found = unfolded(
        R"({"command": ["out/x"]}, "all": {"kind": "torch", "models": ["all"],
        "command": ["--threads", "1"], "presets": ["train-cpu", "infer-cpu"],
        "variants": {"infer-cpu": {"args": ["--batch", "1"]}}},
        "unet": {"kind": "torch", "command": ["--model", "unet"]})");
    const auto of = [&](const std::string& benchmark) {
        std::map<std::string, Command> variants;
        for (const auto& plan : found) {
            if (plan.benchmark == benchmark) variants[plan.variant] = plan.command;
        }
        return variants;
    };
    CHECK(
        of("resnet18").at("train-cpu") ==
        Command{"--model", "resnet18", "--threads", "1", "--mode", "train", "--device", "cpu"});
    // What is described by itself goes before: a variant, a benchmark.
    CHECK(
        of("resnet18").at("infer-cpu") ==
        Command{"--model", "resnet18", "--threads", "1", "--batch", "1"});
    CHECK(of("unet") == std::map<std::string, Command>{{"default", {"--model", "unet"}}});
    CHECK(of("all").empty());
    const auto zoo = zoo_model_names();
    CHECK(found.size() == 2 + 2 * (zoo.size() - 1));  // start, unet, and the others of the zoo
    CHECK(why_refused_suite(R"({"kind": "torch", "models": ["hf_Bert"]})") == "accepted");
    CHECK_THAT(
        why_refused_suite(R"({"kind": "torch", "models": ["resnet19"]})"),
        Contains("no model of the zoo") && Contains("resnet18"));
    CHECK_THAT(
        why_refused_suite(R"({"kind": "torch", "models": ["all"], "command": ["--model", "mlp"]})"),
        Contains("without --model"));
    CHECK_THAT(
        why_refused_suite(R"({"kind": "torch", "presets": ["train"]})"),
        Contains("one of train-cpu"));
    CHECK_THAT(
        why_refused_suite(R"({"command": ["out/x"], "models": ["all"]})"), Contains("models"));
}

TEST_CASE("A command may print what vigil-bench prints", "[service][config]") {
    const auto found =
        unfolded(R"({"command": ["x"], "samples": {"format": "vigil", "unit": "s"}})");
    REQUIRE(found.size() == 1);
    CHECK(found[0].kind == BenchmarkKind::command);
    CHECK(found[0].samples.format == SampleFormat::vigil);
    CHECK(found[0].samples.unit == "s");
}
