#include "worker/run/facts.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "schema/wire/job_json.hpp"

using namespace vigil;
using namespace vigil::worker;

TEST_CASE("The facts of a run are its counts and its clocks", "[worker][run]") {
    ChildReport child;
    child.major_faults = 3;
    child.minor_faults = 400;
    child.involuntary_switches = 50;
    const std::vector<RunFact> counts{
        {.name = "involuntary_switches", .value = 50},
        {.name = "major_faults", .value = 3},
        {.name = "minor_faults", .value = 400}};
    CHECK(facts_of(child, {}, {}) == counts);
    CHECK(facts_of(child, {.mhz = {}, .throttles = 3}, {}) == counts);
    const auto all = facts_of(child, {.mhz = 800, .throttles = 3}, {.mhz = 3400, .throttles = 5});
    REQUIRE(all.size() == 6);
    CHECK(all[3] == RunFact{.name = "throttles", .value = 2});
    CHECK(all[4] == RunFact{.name = "cpu_mhz_before", .value = 800, .unit = "MHz"});
    CHECK(all[5] == RunFact{.name = "cpu_mhz_after", .value = 3400, .unit = "MHz"});
}

TEST_CASE("A benchmark cannot say what the worker says of its run", "[worker][run]") {
    const auto joined = joined_facts(
        {{.name = "major_faults", .value = 3}},
        {{.name = "major_faults", .value = 9}, {.name = "batch", .value = 8}, {.name = "batch"}});
    REQUIRE(joined.size() == 2);
    CHECK(joined[0].value == 3);
    CHECK(joined[1].value == 8);
    std::vector<RunFact> many;
    for (int i = 0; i < 300; ++i) many.push_back({.name = std::to_string(i)});
    CHECK(joined_facts({{.name = "a"}}, many).size() == wire::max_run_facts);
}
