#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "service/store/nights/backfills.hpp"
#include "tests/support/fleet.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::service;
using tests::Fleet;
using tests::World;

namespace {

struct BackfillScene {
    test::ScratchFolder folder;
    Fleet fleet;
    explicit BackfillScene(World world)
        : fleet(std::move(world), (folder.path() / "ledger.sqlite").string()) {
        fleet.first_id = FirstId::after_room;
    }
};

std::vector<int> every_second(int from, int count) {
    std::vector<int> commits;
    for (int i = 0; i < count; ++i) commits.push_back(from + 2 * i);
    return commits;
}

std::string text_of(Fleet& fleet, const std::string& sql) {
    return fleet.db().find<std::string>(sql).value_or("");
}

/// A step at commit 21, in the middle of what is backfilled.
World stepped(std::uint32_t seed) {
    return {
        .seed = seed,
        .commits = 200,
        .changes = {
            {.commit = 21, .variant = "infer", .time = 1.15},
            {.commit = 75, .variant = "infer", .time = 1.2}}};
}

}  // namespace

TEST_CASE("Earlier nights become history, and their steps are listed, not filed", "[scenario]") {
    BackfillScene scene(stepped(3));
    auto& fleet = scene.fleet;
    const auto id = fleet.backfill(every_second(0, 20));
    CHECK(load_backfill(fleet.db(), id).state == BackfillState::done);
    CHECK(fleet.count("night", "state = 'done' AND backfill_id = 1") == 20);
    CHECK(fleet.count("suspicion") == 0);
    CHECK(fleet.count("regression") == 0);
    CHECK(fleet.count("report") == 0);
    CHECK(fleet.count("outbox") == 0);
    CHECK(fleet.count("drift") == 1);
    CHECK(fleet.count("drift", "kind = 'past' AND change_ratio BETWEEN 0.13 AND 0.17") == 1);
    CHECK(
        text_of(
            fleet, "SELECT n.version FROM drift d JOIN nightly n ON n.id = d.since_nightly_id") ==
        "past-22");
    CHECK(
        text_of(fleet, "SELECT message FROM backfill") ==
        "20 nights were measured, 1 step was found in them");

    SECTION("the first nights after it are calm, and a new step is found") {
        fleet.night(50);
        fleet.night(60);
        CHECK(fleet.count("regression") == 0);
        CHECK(fleet.count("nightly", "compared_series = 2") == 2);
        fleet.night(80);
        CHECK(fleet.culprits() == std::vector{fleet.revision(75)});
        CHECK(fleet.count("regression") == 1);
    }
    SECTION("a new step is found on the first night") {
        fleet.night(80);
        CHECK(fleet.culprits() == std::vector{fleet.revision(75)});
        CHECK(fleet.count("regression") == 1);
        CHECK(fleet.count("drift") == 1);
    }
}

TEST_CASE("A step at the end of a backfill is listed as unsure, and not filed", "[scenario]") {
    World world = stepped(4);
    world.changes = {{.commit = 37, .variant = "infer", .time = 1.3}};
    BackfillScene scene(world);
    auto& fleet = scene.fleet;
    fleet.backfill(every_second(0, 20));  // the last is 38
    CHECK(fleet.count("drift", "kind = 'unsure' AND change_ratio > 0.2") == 1);
    fleet.night(50);
    fleet.night(60);
    fleet.night(70);
    CHECK(fleet.count("regression") == 0);
}

TEST_CASE("What does not build is told, and holds nothing", "[scenario]") {
    World world = stepped(5);
    world.broken = {0, 8, 10, 38};
    BackfillScene scene(world);
    auto& fleet = scene.fleet;
    fleet.backfill(every_second(0, 20));
    CHECK(fleet.count("backfill", "state = 'done'") == 1);
    CHECK(fleet.count("night") == 16);
    CHECK(fleet.count("nightly", "state = 'failed' AND message LIKE '%does not compile%'") == 4);
    CHECK(fleet.count("bisection") == 0);
    CHECK(fleet.count("drift", "kind = 'past'") == 1);
    fleet.night(50);
    CHECK(fleet.count("regression") == 0);
    CHECK(fleet.count("bisection") == 0);
}

TEST_CASE("The budget takes the nights nearest to tonight", "[scenario]") {
    BackfillScene scene(stepped(6));
    auto& fleet = scene.fleet;
    const auto runs = fleet.config().projects["lab"].runs_per_night;
    fleet.backfill(every_second(0, 20), 365, 7 * runs + 1);
    CHECK(fleet.count("night") == 7);
    CHECK(text_of(fleet, "SELECT version FROM night ORDER BY id LIMIT 1") == "past-26");
    CHECK(
        fleet.count(
            "event",
            "kind = 'backfill.measuring' AND message LIKE '7 nights of % runs each; 13 older ones "
            "are beyond the budget'") == 1);

    SECTION("and the next one measures what is older, before them") {
        fleet.backfill(every_second(0, 20));
        CHECK(fleet.count("night") == 20);
        CHECK(fleet.count("night", "name = '2025-10-01' AND version = 'past-0'") == 1);
        CHECK(text_of(fleet, "SELECT version FROM night ORDER BY id LIMIT 1") == "past-0");
        CHECK(text_of(fleet, "SELECT version FROM night ORDER BY id DESC LIMIT 1") == "past-38");
        CHECK(fleet.count("drift", "kind = 'past'") == 1);
        fleet.night(50);
        CHECK(fleet.count("regression") == 0);
        fleet.night(80);
        CHECK(fleet.culprits() == std::vector{fleet.revision(75)});
    }
}

TEST_CASE("A night during a backfill is judged as always, and before it", "[scenario]") {
    BackfillScene scene(stepped(7));
    auto& fleet = scene.fleet;
    fleet.night(50);
    const auto id = fleet.backfill(every_second(0, 20), 365, usual_backfill_runs, 8);
    REQUIRE(load_backfill(fleet.db(), id).state == BackfillState::measuring);
    REQUIRE(fleet.count("night") == 1);
    fleet.night(80);
    CHECK(fleet.culprits() == std::vector{fleet.revision(75)});
    CHECK(load_backfill(fleet.db(), id).state == BackfillState::done);
    CHECK(fleet.count("night") == 22);
    CHECK(text_of(fleet, "SELECT version FROM night ORDER BY id LIMIT 1") == "past-0");
    CHECK(fleet.count("drift", "kind = 'past'") == 1);
    CHECK(
        fleet.count(
            "job",
            "priority = 5 AND job.ended_at_s > (SELECT created_at_s FROM nightly WHERE version = "
            "'night-2') AND job.ended_at_s < (SELECT MIN(j.ended_at_s) FROM job j JOIN nightly n "
            "ON "
            "n.id = j.nightly_id WHERE n.version = 'night-2')") <= 2);
    fleet.night(90);
    fleet.night(100);
    CHECK(fleet.count("regression") == 1);
}

TEST_CASE("A backfill that is cut off anywhere goes on", "[scenario]") {
    const auto play = [](bool kills) {
        World world = stepped(8);
        world.noise = 1e-9;
        world.broken = {6};
        BackfillScene scene(world);
        auto& fleet = scene.fleet;
        std::mt19937 dice(5);
        if (kills) fleet.kill = [&] { return dice() % 3 == 0; };
        fleet.backfill(every_second(0, 20));
        fleet.night(50);
        fleet.night(80);
        CHECK((fleet.kills() > 0) == kills);
        CHECK(fleet.culprits() == std::vector{fleet.revision(75)});
        std::string told;
        for (const auto* sql :
             {"SELECT group_concat(version || ' ' || state || ' ' || id) FROM (SELECT * FROM "
              "nightly ORDER BY id)",
              "SELECT group_concat(kind || since_nightly_id || round(change_ratio, 4)) FROM drift",
              "SELECT group_concat(state || message) FROM backfill",
              "SELECT count(*) || ' ' || sum(state = 'done') FROM job WHERE priority = 5"}) {
            told += text_of(fleet, sql) + "\n";
        }
        return told;
    };
    const auto calm = play(false);
    CHECK_FALSE(calm.empty());
    CHECK(play(true) == calm);
}

TEST_CASE("A cancelled backfill keeps what it has measured", "[scenario]") {
    BackfillScene scene(stepped(9));
    auto& fleet = scene.fleet;
    const auto id = fleet.backfill(every_second(0, 20), 365, usual_backfill_runs, 12);
    REQUIRE(load_backfill(fleet.db(), id).state == BackfillState::measuring);
    CHECK(cancel_backfill(fleet.db(), id, "somebody", fleet.now_s()));
    CHECK_FALSE(cancel_backfill(fleet.db(), id, "somebody", fleet.now_s()));
    fleet.settle();
    CHECK(load_backfill(fleet.db(), id).state == BackfillState::cancelled);
    const int kept = fleet.count("night");
    CHECK(kept > 0);
    CHECK(kept < 20);
    CHECK(fleet.count("nightly", "state = 'measuring'") == 0);
    CHECK(fleet.count("job", "state IN ('queued', 'leased')") == 0);
    fleet.night(50);
    CHECK(fleet.count("night") == kept + 1);
}

TEST_CASE("One backfill of a project goes on at a time", "[scenario]") {
    BackfillScene scene(stepped(10));
    auto& fleet = scene.fleet;
    const auto& lab = fleet.config().projects.at("lab");
    const auto id = fleet.backfill(every_second(0, 5), 30, 500, 2);
    CHECK(request_backfill(fleet.db(), lab, 30, 500, "another", fleet.now_s()) == id);
    CHECK_THROWS_WITH(
        request_backfill(fleet.db(), lab, 31, 500, "another", fleet.now_s()),
        "backfill 1 of lab goes on (measuring); cancel it first, or wait for its end");
    CHECK_THROWS_WITH(
        request_backfill(fleet.db(), lab, 366, 500, "another", fleet.now_s()),
        "nights is 366; it must lie between 1 and 365");
    fleet.settle();
    fleet.backfill(every_second(0, 5), 30, 500);
    CHECK(fleet.count("night") == 5);
    CHECK(fleet.count("backfill", "message LIKE 'nothing to measure: 0 nights %; 5 known%'") == 1);
}
