#include <string>

#include <catch2/catch.hpp>

#include "service/store/workers.hpp"
#include "tests/support/fleet.hpp"

using namespace vigil;
using tests::Fleet;
using tests::World;

namespace {

constexpr int nights_of_peace = 10;

// Too few series for a storm.
World small_world(std::uint32_t seed) {
    return {.seed = seed, .commits = 90, .variants = {"v0", "v1", "v2", "v3", "v4", "v5"}};
}

void give_canary(Fleet& fleet, const std::string& build) {
    service::CanaryConfig canary;
    canary.project = "lab";
    canary.build = build;
    canary.benchmark = "model";
    canary.variant = "v0";
    fleet.config().machine_classes.at("fast").canary = canary;
}

std::string of_night(int nightly) {
    return "nightly_id = " + std::to_string(nightly);
}

}  // namespace

TEST_CASE("A worker whose canary moved is held, and its night is not judged", "[scenario]") {
    const auto factor = GENERATE(1.15, 0.85);
    CAPTURE(factor);
    World world = small_world(1);
    world.machine_moves = {{nights_of_peace + 1, factor}};
    world.moving_worker = "fast-2";
    Fleet fleet(world, ":memory:");
    give_canary(fleet, fleet.revision(0));
    for (int night = 0; night < nights_of_peace; ++night) fleet.night(night);
    CHECK(fleet.count("canary_check", "state = 'moved'") == 0);
    const int quiet = fleet.count("suspicion");

    fleet.night(40);
    const std::string moved =
        "SELECT w.name FROM canary_check k JOIN worker w ON w.id = k.worker_id "
        "WHERE k.state = 'moved'";
    CHECK(fleet.db().find<std::string>(moved) == "fast-2");
    CHECK(fleet.count("canary_check", "state = 'moved'") == 1);
    CHECK(fleet.count("worker", "state = 'quarantined' AND held LIKE '%canary moved%'") == 1);
    CHECK(fleet.count("event", "kind = 'canary.moved'") == 1);
    // It had measured: that is not judged, neither now nor from memory.
    const std::string by_it =
        "run r JOIN job j ON j.id = r.job_id JOIN worker w ON w.id = r.worker_id";
    CHECK(
        fleet.count(by_it, "w.name = 'fast-2' AND j.purpose = 'nightly' AND j.nightly_id = 11") >
        0);
    CHECK(fleet.count("suspicion") == quiet);
    for (int night = 41; night < 46; ++night) fleet.night(night);
    CHECK(fleet.count("suspicion", "verdict = 'regression'") == 0);
    CHECK(fleet.count("regression") == 0);
    CHECK(fleet.count("canary_check", "state = 'moved'") == 1);
}

TEST_CASE("A released worker's chart begins anew", "[scenario]") {
    World world = small_world(2);
    world.machine_moves = {{nights_of_peace + 1, 1.1}};
    world.moving_worker = "fast-1";
    Fleet fleet(world, ":memory:");
    give_canary(fleet, fleet.revision(0));
    for (int night = 0; night <= nights_of_peace; ++night) fleet.night(night);
    REQUIRE(fleet.count("worker", "held <> ''") == 1);
    service::release_worker(fleet.db(), "fast-1", fleet.now_s());
    fleet.night(30);
    CHECK(fleet.count("canary_check", "state = 'learning' AND " + of_night(12)) == 1);
    for (int night = 31; night < 38; ++night) fleet.night(night);
    CHECK(fleet.count("canary_check", "state = 'moved'") == 1);
    CHECK(fleet.count("worker", "held <> ''") == 0);
}

TEST_CASE("Canaries of steady machines hold nobody and open nothing", "[scenario]") {
    const auto seed = GENERATE(3u, 4u);
    CAPTURE(seed);
    World world = small_world(seed);
    world.spell = 0.01;
    Fleet fleet(world, ":memory:");
    give_canary(fleet, fleet.revision(0));
    for (int night = 0; night < 30; ++night) fleet.night(night);
    CHECK(fleet.count("canary_check") == 60);
    CHECK(fleet.count("canary_check", "state = 'learning'") == 10);
    CHECK(fleet.count("canary_check", "state = 'steady'") == 50);
    CHECK(fleet.count("worker", "held <> ''") == 0);
    // Its series are its own, and none of the project's.
    CHECK(fleet.count("series", "benchmark = 'canary.model'") == 2);
    CHECK(
        fleet.count(
            "suspicion u JOIN series s ON s.id = u.series_id", "s.benchmark LIKE 'canary%'") == 0);
}

TEST_CASE("What a second look does not repeat holds nobody", "[scenario]") {
    World world = small_world(5);
    world.spell = 0.02;
    Fleet fleet(world, ":memory:");
    give_canary(fleet, fleet.revision(0));
    for (int night = 0; night < 25; ++night) {
        fleet.night(night);
        // A chart without noise allows 2 %, which one job in three leaves by itself.
        fleet.db().execute("UPDATE canary_check SET value = 1e7 WHERE state <> 'moved'");
        if (fleet.count("worker", "held <> ''") > 0) break;
    }
    const int looks = fleet.count("job", "purpose = 'request'");
    const int moved = fleet.count("canary_check", "state = 'moved'");
    CHECK(looks > fleet.count("canary_check") + moved);
}

TEST_CASE("A canary whose build nobody knows is missing, and the night goes on", "[scenario]") {
    Fleet fleet(small_world(6), ":memory:");
    give_canary(fleet, "night-77");
    fleet.night(0);
    fleet.night(5);
    CHECK(fleet.count("canary_check", "state = 'missing'") == fleet.count("canary_check"));
    CHECK(fleet.count("canary_check") == 4);
    CHECK(fleet.count("nightly", "state = 'done'") == 2);
    give_canary(fleet, "night-1");
    fleet.night(10);
    CHECK(fleet.count("canary_check", "state = 'learning'") == 2);
}

TEST_CASE("A worker that is gone is asked for no canary, and the night goes on", "[scenario]") {
    Fleet fleet(small_world(10), ":memory:");
    give_canary(fleet, fleet.revision(0));
    fleet.night(0);
    REQUIRE(fleet.count("canary_check", "state = 'learning'") == 2);
    fleet.kill = [&] {  // when all is measured that the night asked of it
        const bool over =
            fleet.count("job", "purpose = 'nightly' AND nightly_id = 2 AND state = 'done'") > 0 &&
            fleet.count("job", "state IN ('queued', 'leased')") == 0;
        if (over) fleet.stop("fast-2");
        return false;
    };
    fleet.night(5);
    const std::string of_it =
        "canary_check k JOIN worker w ON w.id = k.worker_id AND w.name = 'fast-2'";
    CHECK(fleet.count(of_it, "k.nightly_id = 2 AND k.job_id IS NULL AND k.state = 'missing'") == 1);
    CHECK(fleet.count("canary_check", "state = 'learning' AND nightly_id = 2") == 1);
    CHECK(fleet.count("job", "state = 'cancelled'") == 0);
    CHECK(fleet.count("nightly", "state = 'done'") == 2);
}

TEST_CASE(
    "A class that moved as one is held nowhere, and starts anew when it stays", "[scenario]") {
    const auto factor = GENERATE(1.15, 0.85);
    CAPTURE(factor);
    World world = small_world(7);
    world.machine_moves = {{nights_of_peace + 1, factor}};
    Fleet fleet(world, ":memory:");
    give_canary(fleet, fleet.revision(0));
    for (int night = 0; night < nights_of_peace; ++night) fleet.night(night);

    fleet.night(40);
    CHECK(fleet.count("worker", "held <> ''") == 0);
    CHECK(fleet.count("canary_check", "state = 'moved'") == 0);
    CHECK(fleet.count("canary_check", "message LIKE '%as its whole class'") == 2);
    CHECK(fleet.count("event", "kind = 'canary.class_moved'") == 1);
    // The night was judged: A/B told the machine from the source.
    CHECK(fleet.count("nightly", "state = 'done'") == nights_of_peace + 1);
    CHECK(fleet.count("suspicion", of_night(11)) > 0);
    CHECK(fleet.count("baseline", "reason LIKE 'machine class%'") == 0);

    fleet.night(41);
    CHECK(
        fleet.count(
            "event", "kind = 'canary.class_moved' AND message LIKE '%it stays: 6 times%'") == 1);
    CHECK(
        fleet.count(
            "baseline", "reason = 'machine class fast moved and stayed' AND nightly_id = 11") == 6);
    CHECK(fleet.count("suspicion", of_night(12)) == 0);
    fleet.night(42);
    CHECK(
        fleet.count(
            "canary_check", "state = 'learning' AND moved_ratio IS NULL AND nightly_id = 13") == 2);
    for (int night = 43; night < 49; ++night) fleet.night(night);
    CHECK(fleet.count("canary_check", "state = 'steady' AND nightly_id = 19") == 2);
    CHECK(fleet.count("event", "kind = 'canary.class_moved'") == 2);
    CHECK(fleet.count("regression") == 0);
}

TEST_CASE("A class that moved for one night keeps its levels and its charts", "[scenario]") {
    World world = small_world(8);
    world.machine_moves = {{nights_of_peace + 1, 1.2}, {nights_of_peace + 2, 1 / 1.2}};
    Fleet fleet(world, ":memory:");
    give_canary(fleet, fleet.revision(0));
    for (int night = 0; night < nights_of_peace + 3; ++night) fleet.night(night);
    CHECK(fleet.count("event", "kind = 'canary.class_moved'") == 1);
    CHECK(fleet.count("baseline", "kind = 'rolling'") == 0);
    CHECK(fleet.count("canary_check", "state = 'steady' AND nightly_id IN (12, 13)") == 4);
    CHECK(fleet.count("worker", "held <> ''") == 0);
    CHECK(fleet.count("regression") == 0);
}

TEST_CASE("A regression of the night in which the class moved is found", "[scenario]") {
    const int night_of_step = GENERATE(11, 12);
    CAPTURE(night_of_step);
    World world = small_world(9);
    world.machine_moves = {{nights_of_peace + 1, 1.15}};
    const int commit = night_of_step == 11 ? 33 : 43;
    world.changes = {{.commit = commit, .variant = "v2", .time = 1.2}};
    Fleet fleet(world, ":memory:");
    give_canary(fleet, fleet.revision(0));
    for (int night = 0; night < nights_of_peace; ++night) fleet.night(night);
    fleet.night(40);
    fleet.night(45);
    CHECK(fleet.culprits() == std::vector{fleet.revision(commit)});
    CHECK(fleet.count("regression") == 1);
    CHECK(fleet.count("worker", "held <> ''") == 0);
}
