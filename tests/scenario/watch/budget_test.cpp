#include <string>

#include <catch2/catch.hpp>

#include "tests/support/fleet.hpp"

using namespace vigil;
using tests::Fleet;
using tests::World;

namespace {

constexpr int budget_variants = 7;  // fewer than a storm asks for
constexpr int nights_before = 10;

World steps_of_many_sizes(std::uint32_t seed) {
    World world{.seed = seed, .commits = 200, .variants = {}, .noise = 0.008};
    for (int v = 0; v < budget_variants; ++v) {
        world.variants.push_back("v" + std::to_string(v));
        world.changes.push_back(
            {.commit = 20 + v, .variant = world.variants.back(), .time = 1.12 + 0.04 * v});
    }
    return world;
}

void let_budget_nights_pass(Fleet& fleet) {
    for (int night = 0; night < nights_before; ++night) fleet.night(night);
}

int confirm_runs(Fleet& fleet, int nightly) {
    return fleet.count(
        "run r JOIN job j ON j.id = r.job_id",
        "j.purpose = 'confirm' AND j.nightly_id = " + std::to_string(nightly));
}

}  // namespace

TEST_CASE(
    "A night spends no more runs than it has, and everything has its turn in the end",
    "[scenario]") {
    const auto seed = GENERATE(1u, 2u);
    CAPTURE(seed);
    Fleet fleet(steps_of_many_sizes(seed), ":memory:");
    fleet.config().projects.at("lab").confirm_runs_per_night = 28;
    let_budget_nights_pass(fleet);
    const int quiet_waits = fleet.count("suspicion", "waits <> ''");
    CHECK(quiet_waits == 0);

    fleet.night(40);
    CHECK(confirm_runs(fleet, nights_before + 1) <= 28);
    const std::string tonight = " AND nightly_id = " + std::to_string(nights_before + 1);
    CHECK(fleet.count("suspicion", "verdict = 'regression'" + tonight) >= 1);
    const int waits = fleet.count("suspicion", "waits <> '' AND session_id IS NULL" + tonight);
    CHECK(waits >= 2);
    CHECK(fleet.count("event", "kind = 'suspicion.waits'") == waits);
    // What was measured was worth no less than what waits.
    const std::string most = "SELECT MAX(chance) FROM suspicion WHERE session_id IS NULL";
    const std::string least = "SELECT MIN(chance) FROM suspicion WHERE session_id IS NOT NULL";
    CHECK(
        fleet.db().find<double>(most + tonight).value_or(0) <=
        fleet.db().find<double>(least + tonight).value_or(0));

    for (int night = 1; night <= 7; ++night) {
        fleet.night(40 + night);
        CHECK(confirm_runs(fleet, nights_before + 1 + night) <= 28);
    }
    CHECK(fleet.count("suspicion", "waited > 0 AND session_id IS NOT NULL") >= 1);
    CHECK(fleet.count("regression_series") == budget_variants);
    auto found = fleet.culprits();
    std::sort(found.begin(), found.end());
    auto planted = std::vector<std::string>();
    for (int v = 0; v < budget_variants; ++v) planted.push_back(fleet.revision(20 + v));
    std::sort(planted.begin(), planted.end());
    CHECK(found == planted);
}

TEST_CASE("With runs for all, nothing waits", "[scenario]") {
    Fleet fleet(steps_of_many_sizes(3), ":memory:");
    let_budget_nights_pass(fleet);
    fleet.night(40);
    CHECK(fleet.count("suspicion", "waits <> ''") == 0);
    CHECK(fleet.count("regression_series") == budget_variants);
}

TEST_CASE("What no longer runs is asked whatever the budget", "[scenario]") {
    World world = steps_of_many_sizes(4);
    world.crashes = {{"v0", 20}};
    Fleet fleet(world, ":memory:");
    fleet.config().projects.at("lab").confirm_runs_per_night = 4;
    let_budget_nights_pass(fleet);
    fleet.night(40);
    CHECK(fleet.count("suspicion", "kind = 'outcome' AND verdict = 'broken'") == 1);
    CHECK(fleet.count("suspicion", "waits <> ''") == budget_variants - 1);
}

TEST_CASE("What waited and looks calm the night after is let go of aloud", "[scenario]") {
    World world{.seed = 5, .commits = 200, .variants = {"v0", "v1"}, .noise = 0.005};
    world.changes = {
        {.commit = 20, .variant = "v0", .time = 1.5},
        {.commit = 20, .variant = "v1", .time = 1.15},
        {.commit = 60, .variant = "v1", .time = 1 / 1.15}};
    Fleet fleet(world, ":memory:");
    fleet.config().projects.at("lab").confirm_runs_per_night = 12;
    let_budget_nights_pass(fleet);
    fleet.night(40);
    REQUIRE(fleet.count("suspicion", "waits <> ''") == 1);
    fleet.night(60);
    CHECK(fleet.count("event", "kind = 'suspicion.lapsed'") == 1);
    CHECK(fleet.count("suspicion", "nightly_id = 12") == 0);
    CHECK(fleet.count("regression_series") == 1);
}

TEST_CASE("Checks of noisy series count against the night's runs", "[scenario]") {
    World world{.seed = 9, .commits = 40, .variants = {}};
    for (int v = 0; v < 12; ++v) world.variants.push_back("v" + std::to_string(v));
    world.interleave = 4;
    Fleet fleet(world, ":memory:");
    fleet.config().projects.at("lab").confirm_runs_per_night = 24;
    fleet.night(0);
    for (int night = 1; night <= 7; ++night) fleet.night(5 * night);
    for (int nightly = 2; nightly <= 8; ++nightly) CHECK(confirm_runs(fleet, nightly) <= 24);
    // Those that waited come first the night after: all have had their turn.
    CHECK(
        fleet.count(
            "series", "id IN (SELECT series_id FROM suspicion WHERE session_id IS NOT NULL)") ==
        12);
    CHECK(fleet.count("regression") == 0);
}
