#include "service/cli/ask/summarize.hpp"

#include <fstream>
#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "service/cli/run.hpp"

using namespace vigil;
using Catch::Contains;
using nlohmann::json;

namespace {

struct Printed {
    int code = 0;
    std::string out;
    std::string err;
};

Printed summarize(std::vector<std::string> args, const std::string& input = "") {
    args.insert(args.begin(), "summarize");
    std::istringstream in(input);
    std::ostringstream out, err;
    cli::Surroundings world;
    world.in = &in;
    world.out = &out;
    world.err = &err;
    const int code = cli::run(args, world);
    return {code, out.str(), err.str()};
}

const std::string examples = std::string(VIGIL_SOURCE_DIR) + "/tests/data/tables/";

json run_json(const std::string& variant, const std::string& outcome, double wall_ns) {
    return {
        {"project", "lab"},
        {"machine_class", "xeon"},
        {"purpose", "nightly"},
        {"benchmark", "mlp"},
        {"variant", variant},
        {"outcome", outcome},
        {"measurements",
         {{{"metric", "wall_time_ns"}, {"unit", "ns"}, {"median", wall_ns}},
          {{"metric", "cpu_time_ns"}, {"unit", "ns"}, {"median", 7.0}},
          {{"metric", "peak_alloc_bytes"}, {"unit", "bytes"}, {"median", wall_ns / 10}}}}};
}

}  // namespace

TEST_CASE("A dashboard's file is summarised with its headlines and models", "[service][cli]") {
    const auto whole = summarize({examples + "dashboard.json"});
    CHECK(whole.code == 0);
    CHECK_THAT(whole.out, Contains("| runner_v1 | 1.31x | 1.01x |"));
    CHECK_THAT(whole.out, Contains("## alpha suite: models"));
    CHECK(whole.err.empty());
    const auto short_one =
        summarize({examples + "dashboard.json", "--headline", "--rule", "hud_v2"});
    CHECK_THAT(short_one.out, Contains("1.04x") && !Contains("models") && !Contains("runner_v1"));
}

TEST_CASE("Several files are one list, - is standard input", "[service][cli]") {
    const auto both = summarize(
        {examples + "dashboard.json", "-", "--json"},
        "suite,model,speedup,status\nalpha,more,4,pass\n");
    CHECK(both.code == 0);
    const auto value = json::parse(both.out);
    CHECK(value.at("dashboard").at("alpha").at("runner_v1").at("total") == 6);
}

TEST_CASE("Control characters of a file never reach the terminal", "[service][cli]") {
    const auto said = summarize({"-"}, "model,speedup\na\x1b[2Jb,1\n");
    CHECK(said.code == 0);
    CHECK_THAT(said.out, Contains("a[2Jb") && !Contains("\x1b"));
}

TEST_CASE("What cannot be summarised is said in one line", "[service][cli]") {
    CHECK(summarize({"/no/such/file"}).code == 4);
    CHECK(summarize({"-"}, "{").code == 4);
    CHECK(summarize({"-"}, "words\n").code == 5);
    CHECK(summarize({"-", "--rule", "best"}).code == 2);
    CHECK_THAT(summarize({"-", "--rule", "best"}).err, Contains("runner_v1"));
    CHECK(summarize({"--nightly", "x"}).code == 2);
    CHECK(summarize({"-", "--nightly", "1"}).code == 2);
    CHECK(summarize({"/"}).code != 0);
}

TEST_CASE("The rule may be called paired", "[service][cli]") {
    CHECK_THAT(
        summarize({examples + "dashboard.json", "--rule=paired"}).out, Contains("paired_v1"));
}

TEST_CASE("Processes of a night are one result a variant, by their medians", "[service][cli]") {
    cli::NightResults night;
    for (const double wall_ns : {3e6, 1e6, 2e6})
        night.add(run_json("infer-jit-b4", "passed", wall_ns));
    night.add(run_json("infer-eager-b4", "passed", 4e6));
    auto other = run_json("infer-jit-b4", "passed", 9e9);
    other["purpose"] = "confirm";
    night.add(other);
    const auto list = night.take();
    REQUIRE(list.results().size() == 2);
    const auto& jit = list.results()[1];
    CHECK(jit.suite == "lab on xeon");
    CHECK(jit.backend == "jit");
    CHECK(jit.batch == 4);
    CHECK(jit.get(tables::Field::time_s) == Approx(2e-3));
    CHECK(jit.get(tables::Field::peak_bytes) == Approx(2e5));
    const auto summary = tables::summarize(list, {});
    CHECK(*summary.dashboard.at(0).headlines[0].speedup.value == Approx(2.0));
}

TEST_CASE("One failed process is a failed result", "[service][cli]") {
    cli::NightResults night;
    night.add(run_json("jit", "passed", 1e6));
    night.add(run_json("jit", "oom", 1e6));
    night.add(run_json("jit", "passed", 1e6));
    night.add(json::array());
    CHECK(night.take().results().at(0).status == "oom");
}
