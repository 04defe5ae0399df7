#include <string>

#include <catch2/catch.hpp>

#include "tests/support/fleet.hpp"

using namespace vigil;
using tests::Fleet;
using tests::World;

namespace {

constexpr int variants = 24;
constexpr int quiet_nights = 8;

World wide_world(std::uint32_t seed) {
    World world{.seed = seed, .commits = 70, .variants = {}};
    for (int v = 0; v < variants; ++v) world.variants.push_back("v" + std::to_string(v));
    return world;
}

void let_quiet_nights_pass(Fleet& fleet) {
    for (int night = 0; night < quiet_nights; ++night) fleet.night(night);
}

}  // namespace

TEST_CASE(
    "A machine that moves is recognised with a few runs, and nothing is filed", "[scenario]") {
    const auto seed = GENERATE(1u, 2u, 3u);
    CAPTURE(seed);
    World world = wide_world(seed);
    world.machine_moves = {{quiet_nights + 1, 1.09}};
    Fleet fleet(world, ":memory:");
    let_quiet_nights_pass(fleet);
    CHECK(fleet.count("storm") == 0);

    fleet.night(40);
    CHECK(fleet.count("storm", "state = 'environment'") == fleet.count("storm"));
    CHECK(fleet.count("storm") >= 1);
    CHECK(fleet.count("suspicion", "verdict = 'environment'") > variants / 2);
    CHECK(fleet.count("run r JOIN job j ON j.id = r.job_id", "j.purpose = 'confirm'") <= 40);
    CHECK(fleet.count("baseline", "reason LIKE '%stayed'") == 0);

    // It stays: the baselines start anew, and then there is peace.
    fleet.night(41);
    CHECK(fleet.count("baseline", "reason LIKE '%stayed'") >= variants - 2);
    const int before = fleet.count("suspicion");
    fleet.night(42);
    CHECK(fleet.count("suspicion") - before <= 2);
    CHECK(fleet.count("regression") == 0);
}

TEST_CASE("A machine that moves for one night leaves the baselines alone", "[scenario]") {
    World world = wide_world(4);
    world.machine_moves = {{quiet_nights + 1, 1.12}, {quiet_nights + 2, 1 / 1.12}};
    Fleet fleet(world, ":memory:");
    let_quiet_nights_pass(fleet);
    fleet.night(40);
    fleet.night(41);
    fleet.night(42);
    CHECK(fleet.count("storm", "state = 'environment'") >= 1);
    CHECK(fleet.count("baseline", "reason LIKE '%stayed'") == 0);
    CHECK(fleet.count("regression") == 0);
}

TEST_CASE("A worker that alone moves is held until somebody releases it", "[scenario]") {
    World world = wide_world(8);
    world.machine_moves = {{quiet_nights + 1, 1.2}};
    world.moving_worker = "fast-2";
    Fleet fleet(world, ":memory:");
    let_quiet_nights_pass(fleet);
    fleet.night(40);
    CHECK(fleet.count("storm", "state = 'environment'") == 1);
    CHECK(fleet.count("worker", "state = 'quarantined' AND name = 'fast-2' AND held <> ''") == 1);
    const int before = fleet.count("suspicion");
    fleet.night(41);
    fleet.night(42);
    CHECK(fleet.count("suspicion") - before <= 2);
    CHECK(fleet.count("baseline") == 0);
    CHECK(fleet.count("regression") == 0);
}

TEST_CASE("A worker that moved is not held for one that is gone", "[scenario]") {
    World world = wide_world(8);
    world.machine_moves = {{quiet_nights + 1, 1.2}};
    world.moving_worker = "fast-2";
    Fleet fleet(world, ":memory:");
    let_quiet_nights_pass(fleet);
    fleet.kill = [&] {
        if (fleet.count("storm", "state = 'checking'") > 0) fleet.stop("fast-1");
        return false;
    };
    fleet.night(40);
    REQUIRE(fleet.count("storm", "state = 'environment'") == 1);
    CHECK(fleet.count("worker", "held <> ''") == 0);
    fleet.night(41);
    CHECK(fleet.count("baseline", "reason LIKE '%stayed'") > 0);
    CHECK(fleet.count("job", "state = 'cancelled'") == 0);
    CHECK(fleet.count("nightly", "state = 'done'") == quiet_nights + 2);
    CHECK(fleet.count("regression") == 0);
}

TEST_CASE("A storm whose worker is gone does not hold up its night for a day", "[scenario]") {
    World world = wide_world(8);
    world.machine_moves = {{quiet_nights + 1, 1.2}};
    world.moving_worker = "fast-2";
    Fleet fleet(world, ":memory:");
    let_quiet_nights_pass(fleet);
    fleet.kill = [&] {
        if (fleet.count("storm", "state = 'checking'") > 0) fleet.stop("fast-2");
        return false;
    };
    const auto begin_s = fleet.now_s();
    fleet.night(40);
    CHECK(fleet.count("storm", "state = 'given_up'") == 1);
    CHECK(fleet.count("job", "message LIKE 'worker fast-2, which alone%'") > 0);
    CHECK(fleet.count("nightly", "state = 'done'") == quiet_nights + 1);
    CHECK(fleet.now_s() - begin_s < 86'400 + 12 * 3600);
}

TEST_CASE("Code that slows every series down is never taken for the machine", "[scenario]") {
    const auto seed = GENERATE(5u, 6u);
    CAPTURE(seed);
    World world = wide_world(seed);
    for (const auto& variant : world.variants) {
        world.changes.push_back({.commit = 23, .variant = variant, .time = 1.12});
    }
    Fleet fleet(world, ":memory:");
    let_quiet_nights_pass(fleet);
    fleet.night(40);
    CHECK(fleet.count("storm") >= 1);
    CHECK(fleet.count("storm", "state IN ('environment', 'checking')") == 0);
    CHECK(fleet.culprits() == std::vector{fleet.revision(23)});
}

TEST_CASE("A regression of the night in which the machine moved is still found", "[scenario]") {
    World world = wide_world(7);
    world.machine_moves = {{quiet_nights + 1, 1.09}};
    world.changes = {{.commit = 23, .variant = "v5", .time = 1.25}};
    Fleet fleet(world, ":memory:");
    let_quiet_nights_pass(fleet);
    fleet.night(40);
    CHECK(fleet.count("storm", "state = 'environment'") >= 1);
    CHECK(fleet.culprits() == std::vector{fleet.revision(23)});
    CHECK(fleet.count("regression_series") == 1);
}

TEST_CASE(
    "A single series whose machine moved and stayed is measured once, then no more", "[scenario]") {
    World world{.seed = 3, .commits = 70};
    world.machine_moves = {{quiet_nights + 1, 1.15}};
    Fleet fleet(world, ":memory:");
    let_quiet_nights_pass(fleet);
    fleet.night(40);
    CHECK(fleet.count("storm") == 0);
    CHECK(fleet.count("suspicion", "verdict = 'environment'") == 1);
    CHECK(fleet.count("baseline") == 0);
    fleet.night(41);
    CHECK(fleet.count("baseline", "reason = 'the machine moved and stayed'") == 1);
    fleet.night(42);
    fleet.night(43);
    CHECK(fleet.count("suspicion") == 1);
    CHECK(fleet.count("regression") == 0);
}
