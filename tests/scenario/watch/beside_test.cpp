#include <catch2/catch.hpp>

#include "service/report/facts/night_facts.hpp"
#include "service/report/facts/night_headline.hpp"
#include "tests/support/fleet.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::service;
using tests::Fleet;
using tests::World;

namespace {

struct Scene {
    test::ScratchFolder folder;
    Fleet fleet;
    explicit Scene(World world)
        : fleet(std::move(world), (folder.path() / "ledger.sqlite").string()) {}
};

World slower_from_23() {
    return {.seed = 3, .changes = {{.commit = 23, .variant = "infer", .time = 1.2}}};
}

}  // namespace

TEST_CASE("An older revision asked for is no night", "[scenario]") {
    Scene scene(slower_from_23());
    auto& fleet = scene.fleet;
    fleet.night(0);
    fleet.night(10);
    fleet.night(40);
    REQUIRE(fleet.culprits() == std::vector{fleet.revision(23)});
    fleet.ask(5);
    CHECK(fleet.count("regression", "state = 'closed'") == 0);
    fleet.night(60);
    fleet.night(70);
    CHECK(fleet.culprits() == std::vector{fleet.revision(23)});
    CHECK(fleet.count("regression") == 1);
}

TEST_CASE("What is measured beside the nights is measured, and judged by nothing", "[scenario]") {
    Scene scene(slower_from_23());
    auto& fleet = scene.fleet;
    fleet.night(0);
    fleet.night(10);
    fleet.night(40);
    const int levels = fleet.count("baseline");
    fleet.ask(30);  // of the slow side
    fleet.ask(5);
    CHECK(fleet.count("nightly") == 5);
    CHECK(fleet.count("night") == 3);
    CHECK(fleet.count("nightly", "beside = 'not newer than nightly 3 (2026-01-03)'") == 2);
    CHECK(
        fleet.count(
            "nightly",
            "state = 'done' AND message = 'measured beside the nights: not newer than nightly 3 "
            "(2026-01-03); nothing was judged'") == 2);
    CHECK(fleet.count("suspicion", "nightly_id > 3") == 0);
    CHECK(fleet.count("drift", "nightly_id > 3") == 0);
    CHECK(fleet.count("baseline") == levels);
    CHECK(fleet.count("job", "nightly_id > 3 AND state <> 'done'") == 0);
    CHECK(fleet.count("job", "nightly_id > 3 AND priority >= 50") == 0);
    fleet.ask(5);  // the same build again
    CHECK(fleet.count("nightly") == 5);
    CHECK(fleet.count("trigger_request", "message LIKE '%measured beside the nights'") == 1);
}

TEST_CASE("Nights are judged alike, whatever is measured beside them", "[scenario]") {
    const auto play = [](bool asked) {
        World world = slower_from_23();
        world.noise = 1e-9;  // whoever draws more numbers sees the same night
        Scene scene(world);
        auto& fleet = scene.fleet;
        for (const int commit : {0, 2, 4, 6, 8, 10, 12, 40, 44, 48}) {
            fleet.night(commit);
            if (asked) fleet.ask(commit / 2);
        }
        std::vector<std::string> told;
        auto rows = fleet.db().query(
            "SELECT n.revision || ' ' || g.revision || ' ' || u.verdict || round(u.change_ratio, 4)"
            " FROM suspicion u JOIN nightly n ON n.id = u.nightly_id "
            "JOIN nightly g ON g.id = u.good_nightly_id ORDER BY u.id");
        while (rows.next()) told.push_back(rows.get<std::string>(0));
        CHECK(fleet.count("regression") == 1);
        CHECK(fleet.culprits() == std::vector{fleet.revision(23)});
        return told;
    };
    const auto alone = play(false);
    CHECK_FALSE(alone.empty());
    CHECK(play(true) == alone);
}

TEST_CASE("A revision between the nights and the tip is a night", "[scenario]") {
    Scene scene({.seed = 4});
    auto& fleet = scene.fleet;
    fleet.ask(10);  // nothing to be older than
    fleet.ask(20);
    CHECK(fleet.count("night") == 2);
}

TEST_CASE("A build measured beside the nights and offered as tonight's is a night", "[scenario]") {
    Scene scene({.seed = 5});
    auto& fleet = scene.fleet;
    fleet.night(0);
    fleet.night(20);
    fleet.ask(10);
    REQUIRE(fleet.count("nightly", "beside IS NOT NULL") == 1);
    fleet.night(10);  // the branch was set back
    CHECK(fleet.count("night", "state = 'done'") == 3);
    CHECK(
        fleet.count("nightly", "beside IS NOT NULL AND version LIKE '% (beside the nights)'") == 1);
}

TEST_CASE("A night that failed is nothing to be older than", "[scenario]") {
    World world{.seed = 6};
    world.broken = {20};
    Scene scene(world);
    auto& fleet = scene.fleet;
    fleet.night(10);
    fleet.night(20);
    REQUIRE(fleet.count("nightly", "state = 'failed'") == 1);
    fleet.ask(15);
    CHECK(fleet.count("night", "state = 'done'") == 2);
    fleet.ask(5);
    CHECK(fleet.count("night") == 3);
}

TEST_CASE("A night tells of how many series it could say anything", "[scenario]") {
    Scene scene({.seed = 8, .variants = {"infer"}});
    auto& fleet = scene.fleet;
    fleet.night(0);
    CHECK(fleet.count("nightly", "compared_series = 0") == 1);
    CHECK(
        fleet.count(
            "nightly",
            "state = 'done' AND message = 'nothing was compared: no series has an earlier "
            "night'") == 1);
    fleet.night(10);
    CHECK(fleet.count("nightly", "id = 2 AND compared_series = 2 AND message = ''") == 1);
    BenchmarkPlan more = fleet.config().projects["lab"].suites["core"].front();
    more.variant = "train";
    fleet.config().projects["lab"].suites["core"].push_back(more);
    fleet.night(20);
    CHECK(fleet.count("nightly", "id = 3 AND compared_series = 2 AND message = ''") == 1);
    const auto facts = load_night_facts(fleet.db(), NightlyId{3}, fleet.config());
    CHECK(facts.measured_series == 4);
    CHECK(facts.first_series == 2);
    CHECK(headline_of(facts).standing == NightStanding::all_clear);
    CHECK_FALSE(
        headline_of(load_night_facts(fleet.db(), NightlyId{1}, fleet.config())).standing ==
        NightStanding::all_clear);
}
