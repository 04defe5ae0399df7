#include <string>

#include <catch2/catch.hpp>

#include "tests/support/fleet.hpp"

using namespace vigil;
using tests::Fleet;
using tests::World;

namespace {

World fixed_world(unsigned seed) {
    return {.seed = seed, .commits = 400, .variants = {"train", "infer"}, .noise = 0.01};
}

void play(Fleet& fleet, int from, int nights) {
    for (int night = 0; night < nights; ++night) fleet.night(from + 10 * night);
}

}  // namespace

TEST_CASE("What came back in part is told, and the rest stays open", "[scenario]") {
    const auto seed = GENERATE(1u, 2u, 3u);
    CAPTURE(seed);
    World world = fixed_world(seed);
    world.changes = {
        {.commit = 103, .variant = "train", .time = 1.2},
        {.commit = 103, .variant = "infer", .time = 1.2},
        {.commit = 143, .variant = "infer", .time = 1 / 1.2},
        {.commit = 183, .variant = "train", .time = 1 / 1.2}};
    Fleet fleet(world, ":memory:");
    play(fleet, 0, 11);
    REQUIRE(fleet.count("regression") == 0);
    play(fleet, 110, 3);
    REQUIRE(fleet.culprits() == std::vector{fleet.revision(103)});
    REQUIRE(fleet.count("regression_series") == 2);
    play(fleet, 150, 3);
    CHECK(fleet.count("regression_series", "recovered_nightly_id IS NOT NULL") == 1);
    CHECK(fleet.count("event", "kind = 'regression.partly_recovered'") == 1);
    CHECK(fleet.count("regression", "state = 'closed'") == 0);
    play(fleet, 190, 3);
    CHECK(fleet.count("regression", "state = 'closed'") == 1);
    CHECK(fleet.count("regression") == 1);
}

TEST_CASE("One fall of the level mends every regression that it undoes", "[scenario]") {
    const auto seed = GENERATE(1u, 2u, 3u);
    CAPTURE(seed);
    World world = fixed_world(seed);
    world.changes = {
        {.commit = 103, .variant = "infer", .time = 1.15},
        {.commit = 143, .variant = "infer", .time = 1.15},
        {.commit = 203, .variant = "infer", .time = 1 / (1.15 * 1.15)}};
    Fleet fleet(world, ":memory:");
    play(fleet, 0, 20);
    REQUIRE(fleet.count("regression", "state = 'attributed'") == 2);
    play(fleet, 210, 3);
    CHECK(fleet.count("regression", "state = 'closed'") == 2);
    CHECK(fleet.count("regression") == 2);
}

TEST_CASE("Of two regressions the newer one alone may be fixed", "[scenario]") {
    const auto seed = GENERATE(1u, 2u);
    CAPTURE(seed);
    World world = fixed_world(seed);
    world.changes = {
        {.commit = 103, .variant = "infer", .time = 1.15},
        {.commit = 143, .variant = "infer", .time = 1.15},
        {.commit = 203, .variant = "infer", .time = 1 / 1.15}};
    Fleet fleet(world, ":memory:");
    play(fleet, 0, 24);
    CHECK(
        fleet.count("regression", "state = 'closed' AND culprit = '" + fleet.revision(143) + "'") ==
        1);
    CHECK(
        fleet.count("regression", "state = 'closed' AND culprit = '" + fleet.revision(103) + "'") ==
        0);
    CHECK(fleet.count("regression") == 2);
}

TEST_CASE("A regression that is fixed in part tells where it stands today", "[scenario]") {
    const auto seed = GENERATE(1u, 2u, 3u);
    CAPTURE(seed);
    World world = fixed_world(seed);
    world.changes = {
        {.commit = 103, .variant = "infer", .time = 1.8},
        {.commit = 143, .variant = "infer", .time = 1.1 / 1.8}};
    Fleet fleet(world, ":memory:");
    play(fleet, 0, 11);
    play(fleet, 110, 3);
    REQUIRE(fleet.culprits() == std::vector{fleet.revision(103)});
    play(fleet, 150, 2);
    CHECK(fleet.count("regression", "state IN ('attributed', 'reported')") == 1);
    CHECK(fleet.count("regression") == 1);
    CHECK(fleet.count("regression", "unreported = 1") == 1);  // its report is written again
    CHECK(fleet.count("event", "kind = 'regression.level'") >= 1);
    const auto told = fleet.db().find<std::string>(
        "SELECT message FROM event WHERE kind = 'regression.level' ORDER BY id DESC LIMIT 1");
    REQUIRE(told);
    CHECK(told->find("before: +") != std::string::npos);
    const auto filed = told->find("when filed: +");
    REQUIRE(filed != std::string::npos);
    CHECK((told->at(filed + 13) == '7' || told->at(filed + 13) == '8'));
    const auto measured = fleet.db().find<double>(
        "SELECT confirmed ->> '$.change_ratio' FROM suspicion "
        "WHERE asked = 'recovered' AND confirmed ->> '$.runs_after' > 0 "
        "ORDER BY nightly_id DESC LIMIT 1");
    REQUIRE(measured);
    CHECK(*measured == Approx(0.1).margin(0.03));
}
