#include <random>
#include <string>

#include <catch2/catch.hpp>

#include "service/store/findings/bisection_records.hpp"
#include "tests/support/fleet.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::service;
using tests::Fleet;
using tests::World;

namespace {

BisectionSettings settings_of(Fleet& fleet, int bisection) {
    return *fleet.db().find<BisectionSettings>(
        "SELECT settings FROM bisection WHERE id = ?1", BisectionId{bisection});
}

}  // namespace

TEST_CASE("A search over several nights knows which of them are likely", "[scenario]") {
    const auto seed = GENERATE(1u, 2u);
    CAPTURE(seed);
    // The step is there for two nights before its series has its turn.
    World world{.seed = seed, .commits = 400, .variants = {"v0", "v1"}, .noise = 0.008};
    world.changes = {
        {.commit = 205, .variant = "v0", .time = 1.5},
        {.commit = 215, .variant = "v0", .time = 1.5},
        {.commit = 225, .variant = "v0", .time = 1.5},
        {.commit = 207, .variant = "v1", .time = 1.12}};
    Fleet fleet(world, ":memory:");
    fleet.config().projects.at("lab").confirm_runs_per_night = 12;
    for (int night = 0; night <= 20; ++night) fleet.night(10 * night);
    for (int night = 21; night <= 26; ++night) fleet.night(10 * night);
    const auto late = fleet.db().find<int>(
        "SELECT r.bisection_id FROM regression r JOIN regression_series x "
        "ON x.regression_id = r.id JOIN series s ON s.id = x.series_id WHERE s.variant = 'v1'");
    REQUIRE(late);
    const auto settings = settings_of(fleet, *late);
    REQUIRE(settings.nights.size() >= 2);
    CHECK(settings.nights.front().revision == Revision(fleet.revision(210)));
    CHECK(settings.nights.front().weight == 1);
    CHECK(settings.nights.back().weight < 0.5);
    CHECK(fleet.count("regression", "culprit = '" + fleet.revision(207) + "'") == 1);
    // One night's search has nothing to choose from.
    CHECK(settings_of(fleet, 1).nights.empty());
}

TEST_CASE("A search begins at the newest night that is known good", "[scenario]") {
    const auto seed = GENERATE(1u, 2u, 3u);
    CAPTURE(seed);
    World world{.seed = seed, .commits = 400, .noise = 0.02};
    world.changes = {{.commit = 135, .variant = "infer", .time = 1.4}};
    Fleet fleet(world, ":memory:");
    for (int night = 0; night <= 14; ++night) fleet.night(10 * night);
    REQUIRE(fleet.culprits() == std::vector{fleet.revision(135)});
    const auto held_against = fleet.db().find<std::string>(
        "SELECT n.revision FROM regression_series x JOIN suspicion u ON u.id = x.suspicion_id "
        "JOIN nightly n ON n.id = u.good_nightly_id");
    const auto begins = fleet.db().find<std::string>("SELECT good_revision FROM bisection");
    CHECK(held_against != fleet.revision(130));  // old builds of a series that varies are old
    CHECK(begins == fleet.revision(130));
    CHECK(fleet.count("suspect", "position > 0") == 10);
}

TEST_CASE("A search counts on the workers that are there", "[scenario]") {
    const bool gone = GENERATE(false, true);
    CAPTURE(gone);
    World world;
    world.changes = {{.commit = 53, .variant = "infer", .time = 1.3}};
    Fleet fleet(world, ":memory:");
    for (int night = 0; night < 8; ++night) fleet.night(night);
    if (gone) fleet.stop("fast-2");
    fleet.night(60);
    CHECK(settings_of(fleet, 1).workers == (gone ? 1 : 2));
    CHECK(fleet.culprits() == std::vector{fleet.revision(53)});
}

TEST_CASE("What was suspected nights ago is remembered when its turn comes", "[scenario]") {
    const auto seed = GENERATE(1u, 2u, 3u);
    CAPTURE(seed);
    World world{.seed = seed, .commits = 400, .noise = 0.01};
    world.changes = {{.commit = 107, .variant = "infer", .time = 1.12}};
    Fleet fleet(world, ":memory:");
    fleet.config().projects.at("lab").confirm_runs_per_night = 1;
    for (int night = 0; night <= 15; ++night) fleet.night(10 * night);
    REQUIRE(fleet.count("suspicion", "waits <> ''") >= 4);
    fleet.config().projects.at("lab").confirm_runs_per_night = 2000;
    fleet.night(160);
    const auto settings = settings_of(fleet, 1);
    REQUIRE(settings.nights.size() >= 6);
    for (const auto& night : settings.nights) {
        const bool first = night.revision == Revision(fleet.revision(110));
        CHECK(night.weight > (first ? 0.99 : 0.0));
        CHECK(night.weight < (first ? 1.01 : 0.4));
    }
    CHECK(fleet.culprits() == std::vector{fleet.revision(107)});
}

TEST_CASE("Searches that end at the same commits are one regression", "[scenario]") {
    const auto seed = GENERATE(1u, 2u);
    CAPTURE(seed);
    const test::ScratchFolder folder;
    World world{.seed = seed, .commits = 400, .variants = {"v0", "v1"}, .noise = 0.008};
    world.broken = {104};
    world.changes = {
        {.commit = 105, .variant = "v0", .time = 1.5},
        {.commit = 105, .variant = "v1", .time = 1.3}};
    Fleet fleet(world, folder / "ledger");
    fleet.config().projects.at("lab").confirm_runs_per_night = 12;
    for (int night = 0; night <= 15; ++night) fleet.night(10 * night);
    const std::string open = "state <> 'closed'";
    REQUIRE(fleet.count("regression", open + " AND suspects <> '[]' AND culprit IS NULL") == 1);
    CHECK(fleet.count("regression", "reason LIKE 'the same commits left as regression%'") == 1);
    CHECK(fleet.count("regression_series", "regression_id = 1") == 2);
}

TEST_CASE("A step served in parts on different nights is one regression", "[scenario]") {
    const auto seed = GENERATE(1u, 2u, 3u);
    const bool killed = GENERATE(false, true);
    CAPTURE(seed, killed);
    const test::ScratchFolder folder;
    World world{.seed = seed, .commits = 400, .variants = {"v0", "v1", "v2"}, .noise = 0.008};
    world.changes = {
        {.commit = 105, .variant = "v0", .time = 1.5},
        {.commit = 105, .variant = "v1", .time = 1.3},
        {.commit = 107, .variant = "v2", .time = 1.2}};
    Fleet fleet(world, folder / "ledger");
    std::mt19937 random(seed);
    if (killed) {
        fleet.kill = [&] { return std::uniform_int_distribution<int>(0, 4)(random) == 0; };
    }
    fleet.config().projects.at("lab").confirm_runs_per_night = 12;
    for (int night = 0; night <= 10; ++night) fleet.night(10 * night);
    for (int night = 11; night <= 15; ++night) fleet.night(10 * night);
    const std::string open = "state <> 'closed'";
    CHECK(fleet.count("regression", open) == 2);
    const std::string one = "culprit = '" + fleet.revision(105) + "' AND " + open;
    REQUIRE(fleet.count("regression", one) == 1);
    CHECK(
        fleet.count(
            "regression_series",
            "verified <> '{}' AND regression_id = (SELECT id FROM regression WHERE " + one + ")") ==
        2);
    CHECK(fleet.count("regression", "culprit = '" + fleet.revision(107) + "'") == 1);
    CHECK(fleet.count("event", "kind = 'regression.joined'") == 1);
    CHECK(fleet.count("regression", "state = 'closed'") == 1);
    CHECK(fleet.count("regression", "reason LIKE 'the same culprit as regression%'") == 1);
    // The other searches were told of it.
    CHECK(
        fleet.count("bisection", "settings LIKE '%\"named\":[\"" + fleet.revision(105) + "%'") >=
        1);
}

TEST_CASE("A search that newer rules go on with says so", "[scenario]") {
    World world{.seed = 5, .changes = {{.commit = 23, .variant = "infer", .time = 1.2}}};
    Fleet fleet(world, ":memory:");
    fleet.night(0);
    bool aged = false;
    fleet.kill = [&] {  // nothing is killed here: an older daemon had begun it
        if (!aged && fleet.count("probe", "state = 'done'") > 0) {
            aged = true;
            fleet.db().execute("UPDATE bisection SET planner = 7");
        }
        return false;
    };
    fleet.night(70);
    REQUIRE(aged);
    CHECK(fleet.culprits() == std::vector{fleet.revision(23)});
    CHECK(fleet.count("bisection", "planner = " + std::to_string(search::planner_version)) == 1);
    CHECK(
        fleet.count(
            "event", "kind = 'bisection.planner' AND message LIKE '%version 7; it goes on%'") == 1);
}
