#include <cmath>
#include <string>

#include <catch2/catch.hpp>

#include "tests/support/fleet.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using tests::Fleet;
using tests::World;

namespace {

constexpr int commits_a_night = 10;

/// Commits that each add two percent: one every `gap` nights, the first in night `first` (from 1).
World creeping_world(unsigned seed, int first, int gap, int steps) {
    World world{.seed = seed, .commits = 2000, .noise = 0.005};
    for (int i = 0; i < steps; ++i) {
        const int commit = commits_a_night * (first - 1 + gap * i) - 3;
        world.changes.push_back({.commit = commit, .variant = "infer", .time = 1.02});
    }
    return world;
}

void play_nights(Fleet& fleet, int from, int to) {
    for (int night = from; night <= to; ++night) fleet.night(commits_a_night * (night - 1));
}

}  // namespace

TEST_CASE(
    "Five nights of two percent are measured as one sum and filed", "[scenario][many-nights]") {
    const int gap = GENERATE(1, 2, 4, 9);
    const auto seed = GENERATE(1u, 2u);
    CAPTURE(gap, seed);
    const test::ScratchFolder folder;
    Fleet fleet(creeping_world(seed, 11, gap, 5), (folder / "ledger.sqlite").string());
    const int last_step = 11 + 4 * gap;
    play_nights(fleet, 1, last_step + 5);
    REQUIRE(fleet.count("regression") == 1);
    // Held against the last night before the sum began, or one near before it.
    const auto good =
        fleet.db().find<int>("SELECT good_nightly_id FROM suspicion WHERE verdict = 'regression'");
    const auto night =
        fleet.db().find<int>("SELECT nightly_id FROM suspicion WHERE verdict = 'regression'");
    REQUIRE(good);
    CHECK(*good <= 10);
    CHECK(*good >= 6);
    CHECK(*night >= 11 + 3 * gap);
    CHECK(*night <= last_step + 5);
    CHECK(fleet.count("nightly", "state IN ('done', 'failed')") == last_step + 5);
}

TEST_CASE(
    "A level longer than what is looked at every night is summed from its start",
    "[scenario][many-nights]") {
    const test::ScratchFolder folder;
    Fleet fleet(creeping_world(1, 21, 13, 5), (folder / "ledger.sqlite").string());
    play_nights(fleet, 1, 78);
    REQUIRE(fleet.count("regression") == 1);
    CHECK(
        fleet.count(
            "suspicion",
            "verdict = 'regression' AND creep = 1 AND good_nightly_id BETWEEN 15 AND 20 "
            "AND nightly_id >= 60 AND since_nightly_id = good_nightly_id + 1") == 1);
}

TEST_CASE("A sum that was measured and not filed is not measured every night", "[scenario]") {
    const test::ScratchFolder folder;
    World world{.seed = 3, .commits = 2000, .noise = 0.005, .ageing = 0.003};
    Fleet fleet(world, (folder / "ledger.sqlite").string());
    play_nights(fleet, 1, 50);
    CHECK(fleet.count("regression") == 0);
    const int raised = fleet.count("suspicion", "creep = 1");
    CHECK(raised >= 2);
    CHECK(raised <= 6);
}

TEST_CASE(
    "A sum that stays below the threshold is listed and not filed", "[scenario][many-nights]") {
    int first_listed = 0;
    for (unsigned seed = 1; seed <= 5; ++seed) {
        CAPTURE(seed);
        const test::ScratchFolder folder;
        Fleet fleet(creeping_world(seed, 16, 12, 2), (folder / "ledger.sqlite").string());
        play_nights(fleet, 1, 40);
        CHECK(fleet.count("regression") == 0);
        const std::string first = "since_earliest_id <= 16 AND since_latest_id >= 16";
        const int listed = fleet.count("drift", "kind = 'history' AND low > 0 AND " + first);
        CHECK(listed <= 1);
        first_listed += listed;
        CHECK(fleet.count("drift") <= 3);
        CHECK(fleet.count("drift", "high < 0") == 0);
        CHECK(fleet.count("event", "kind = 'drift.found'") == fleet.count("drift"));
    }
    CHECK(first_listed >= 3);
}

TEST_CASE("Quiet nights have no drift and no sum", "[scenario]") {
    const auto seed = GENERATE(1u, 2u, 3u, 4u);
    CAPTURE(seed);
    const test::ScratchFolder folder;
    World world{.seed = seed, .commits = 2000, .noise = seed % 2 == 0 ? 0.02 : 0.005};
    Fleet fleet(world, (folder / "ledger.sqlite").string());
    play_nights(fleet, 1, 40);
    CHECK(fleet.count("drift") == 0);
    CHECK(fleet.count("suspicion", "creep = 1") == 0);
    CHECK(fleet.count("regression") == 0);
}

TEST_CASE("A step is told with its score and since when it is", "[scenario]") {
    const test::ScratchFolder folder;
    World world{.seed = 4, .commits = 2000, .noise = 0.01};
    world.changes = {{.commit = 187, .variant = "infer", .time = 1.12}};
    Fleet fleet(world, (folder / "ledger.sqlite").string());
    play_nights(fleet, 1, 22);
    REQUIRE(fleet.count("regression") == 1);
    CHECK(
        fleet.count(
            "suspicion",
            "verdict = 'regression' AND score > 4 AND since_nightly_id = 20 "
            "AND since_earliest_id <= 20 AND since_latest_id = 20 AND creep = 0") == 1);
    CHECK(fleet.count("event", "kind = 'suspicion.opened' AND message LIKE '%likely since%'") > 0);
    CHECK(fleet.culprits() == std::vector{fleet.revision(187)});
}

TEST_CASE("What crept up since the pinned night is measured against it", "[scenario]") {
    const test::ScratchFolder folder;
    // The level began with nights that were slower than the release.
    World world{.seed = 6, .commits = 2000, .noise = 0.003};
    world.changes = {
        {.commit = 37, .variant = "infer", .time = 0.97},
        {.commit = 87, .variant = "infer", .time = 1.03},
        {.commit = 117, .variant = "infer", .time = 1.03},
        {.commit = 177, .variant = "infer", .time = 1.03}};
    const std::string pinned = GENERATE(std::string(), std::string("night-6"));
    Fleet fleet(world, (folder / "ledger.sqlite").string());
    fleet.config().projects.at("lab").pinned_version = pinned;
    play_nights(fleet, 1, 25);
    const int filed = fleet.count("regression");
    CHECK(filed == (pinned.empty() ? 0 : 1));
    if (filed == 1) CHECK(fleet.count("suspicion", "verdict = 'regression' AND creep = 1") == 1);
}
