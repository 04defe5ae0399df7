#include "service/tables/rules.hpp"

#include <array>
#include <cmath>

#include <catch2/catch.hpp>

#include "service/tables/dashboard.hpp"
#include "service/tables/scaling.hpp"

using namespace vigil::tables;

namespace {

Result model_result(
    const std::string& model,
    const std::string& status,
    std::optional<double> speedup,
    std::optional<double> compile_s = {},
    std::optional<double> memory_ratio = {}) {
    Result result;
    result.model = model;
    result.status = status;
    if (speedup) result.values[Field::speedup] = *speedup;
    if (compile_s) result.values[Field::compile_s] = *compile_s;
    if (memory_ratio) result.values[Field::memory_ratio] = *memory_ratio;
    return result;
}

Headline headline(const std::vector<Result>& results, Rule rule) {
    std::vector<const Result*> pointers;
    for (const auto& result : results) pointers.push_back(&result);
    return headline_of(pointers, rule, "eager");
}

const std::vector<Result> some{
    model_result("fast", "pass", 4.0, 10, 2.0),
    model_result("slow", "pass_due_to_skip", 0.25, 20, 0.5),
    model_result("half", "pass", 1.0, {}, 1.0),
    model_result("wrong", "fail_accuracy", 8.0, 1, 8.0),
    model_result("dead", "fail_to_run", 0.0)};

}  // namespace

TEST_CASE("Processes scale against the one that ran in the same run", "[service][tables]") {
    std::vector<Result> results(2);
    for (auto& result : results) {
        result.model = "m";
        result.batch = 4;
    }
    results[0].processes = 1;
    results[0].values[Field::throughput_per_s] = 40;  // in another run, on a slower machine
    results[1].processes = 2;
    results[1].values[Field::throughput_per_s] = 90;
    results[1].values[Field::throughput_alone_per_s] = 50;
    const auto tables = make_scaling_tables(results);
    REQUIRE(tables.size() == 1);
    CHECK(tables[0].workers == "Processes");
    REQUIRE(tables[0].rows.size() == 2);
    CHECK(tables[0].rows[1].factor.value() == Approx(0.8));
    CHECK(tables[0].rows[1].efficiency.value() == Approx(0.9));
}

TEST_CASE("Whatever came of a run, the pass rate counts it", "[service][tables]") {
    std::vector<Result> results;
    for (const char* status : {"pass", "oom", "timeout", "wrong", "failed", "unsupported"}) {
        Result result;
        result.model = status;
        result.backend = "eager";
        result.status = status;
        results.push_back(result);
    }
    const auto suites = make_dashboard(results, "eager", std::array{Rule::runner_v1});
    REQUIRE(suites.size() == 1);
    CHECK(suites[0].headlines[0].passing == 1);
    CHECK(suites[0].headlines[0].total == 5);  // what is unsupported was never tried
}

TEST_CASE("runner_v1 counts a speedup below 1 as 1, hud_v2 does not", "[service][tables]") {
    CHECK(*headline(some, Rule::runner_v1).speedup.value == Approx(std::cbrt(4.0)));
    CHECK(*headline(some, Rule::hud_v2).speedup.value == Approx(1.0));
}

TEST_CASE("Compile time and memory are means over models that pass", "[service][tables]") {
    for (const Rule rule : {Rule::runner_v1, Rule::hud_v2}) {
        const auto line = headline(some, rule);
        CHECK(line.passing == 3);
        CHECK(line.total == 5);
        CHECK(*line.compile_s.value == Approx(15));
        CHECK(line.compile_s.count == 2);
        CHECK(*line.memory_ratio.value == Approx(3.5 / 3));
    }
}

TEST_CASE("paired_v1 takes the same models in all three, ratios geometric", "[service][tables]") {
    const auto line = headline(some, Rule::paired_v1);
    CHECK(line.passing == 3);
    CHECK(*line.speedup.value == Approx(1.0));  // without "half": it has no compile time
    CHECK(line.speedup.count == 2);
    CHECK(*line.memory_ratio.value == Approx(1.0));
    REQUIRE(line.speedup.left_out.size() == 3);
    CHECK(line.speedup.left_out[0].model == "wrong");
    CHECK(line.speedup.left_out[0].why == "fail_accuracy");
    CHECK(line.speedup.left_out[2].model == "half");
    CHECK(line.speedup.left_out[2].why == "no compile time");
}

TEST_CASE("Whoever is left out is named with the reason", "[service][tables]") {
    const auto line = headline(some, Rule::runner_v1);
    REQUIRE(line.compile_s.left_out.size() == 3);
    CHECK(line.compile_s.left_out[1].model == "dead");
    CHECK(line.compile_s.left_out[1].why == "fail_to_run");
    CHECK(line.compile_s.left_out[2].why == "no number");
    CHECK(line.speedup.left_out.size() == 2);
}

TEST_CASE(
    "Without a status a model passes by its speedup, and the other way", "[service][tables]") {
    const auto by_speedup =
        headline({model_result("a", "", 2.0), model_result("b", "", 0.0)}, Rule::hud_v2);
    CHECK(by_speedup.passing == 1);
    CHECK(by_speedup.failing.front().why == "speedup 0");
    const auto by_status =
        headline({model_result("a", "pass", {}), model_result("b", "oom", {})}, Rule::hud_v2);
    CHECK(by_status.passing == 1);
    CHECK_FALSE(by_status.speedup.value);
    const auto gap =
        headline({model_result("a", "pass", 1.0), model_result("b", "", 1.0)}, Rule::hud_v2);
    CHECK(gap.failing.front().why == "no accuracy");
}

TEST_CASE("Only what fails in the base too leaves the pass rate", "[service][tables]") {
    std::vector<Result> results;
    const auto add = [&](const char* model, const char* eager, const char* jit) {
        for (const auto& [backend, status] : {std::pair{"eager", eager}, std::pair{"jit", jit}}) {
            if (*status == 0) continue;
            results.push_back(model_result(model, status, {}));
            results.back().backend = backend;
            if (results.back().status == "pass") results.back().values[Field::time_s] = 1;
        }
    };
    add("runs", "pass", "pass");
    add("cannot be traced", "pass", "unsupported");
    add("crashes in one", "pass", "failed");
    add("nowhere", "unsupported", "unsupported");
    add("too large", "oom", "unsupported");
    add("slow in both", "timeout", "timeout");
    add("not tried in eager", "", "unsupported");
    add("only there", "oom", "pass");
    const auto paired = with_ratios(results, "eager");
    const auto suites = make_dashboard(paired, "eager", std::array{Rule::hud_v2});
    REQUIRE(suites.size() == 1);
    const auto& line = suites[0].headlines[0];
    CHECK(line.passing == 1);
    CHECK(line.total == 6);
    std::vector<std::string> failing;
    for (const auto& one : line.failing) failing.push_back(one.model + ": " + one.why);
    CHECK(
        failing == std::vector<std::string>{
                       "cannot be traced: unsupported",
                       "crashes in one: failed",
                       "slow in both: timeout",
                       "not tried in eager: unsupported",
                       "only there: eager: oom"});
    CHECK(with_ratios(paired, "eager")[7].status == "unsupported in eager too");  // said once
}

TEST_CASE("Nothing at all is no number", "[service][tables]") {
    const auto line = headline({}, Rule::paired_v1);
    CHECK(line.total == 0);
    CHECK_FALSE(line.speedup.value);
}

TEST_CASE("A model with several batches is named with its batch", "[service][tables]") {
    Result one = model_result("a", "pass", 1.0);
    one.batch = 4;
    Result other = one;
    other.batch = 16;
    const Result third = model_result("b", "pass", 1.0);
    const std::vector<const Result*> all{&one, &other, &third};
    CHECK(model_names(all) == std::vector<std::string>{"a (batch 4)", "a (batch 16)", "b"});
}
