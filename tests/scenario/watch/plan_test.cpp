#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

#include "tests/support/fleet.hpp"

using namespace vigil;
using tests::Fleet;
using tests::World;

namespace {

std::string words_of(Fleet& fleet, const std::string& kind) {
    return fleet.db()
        .find<std::string>("SELECT message FROM event WHERE kind = ?1 ORDER BY id DESC", kind)
        .value_or("");
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

World world_of_five(std::uint32_t seed) {
    return {.seed = seed, .commits = 90, .variants = {"v0", "v1", "v2", "v3", "v4"}};
}

}  // namespace

TEST_CASE("A variant measured by another command starts new levels and says so", "[scenario]") {
    World world = world_of_five(1);
    world.changes = {{.commit = 20, .variant = "v1", .time = 1.6, .memory = 1.4}};
    Fleet fleet(world, ":memory:");
    for (int night = 0; night < 9; ++night) fleet.night(night);
    CHECK(fleet.count("event", "kind LIKE 'series.%'") == 0);

    auto& plans = fleet.config().projects.at("lab").suites.at("core");
    plans.at(1).command = {"./run", "--batch", "64"};
    plans.at(2).limits.wall_time_s = 77;  // says nothing about what is measured
    fleet.night(40);
    CHECK(fleet.count("event", "kind = 'series.changed'") == 1);
    CHECK(has(words_of(fleet, "series.changed"), "model (v1) on fast is measured by another"));
    CHECK(has(words_of(fleet, "series.changed"), "its 2 series start new levels"));
    CHECK(fleet.count("baseline", "reason = 'measured in another way' AND nightly_id = 10") == 2);
    for (int night = 41; night < 44; ++night) fleet.night(night);
    CHECK(fleet.count("event", "kind = 'series.changed'") == 1);
    CHECK(fleet.count("regression") == 0);
    CHECK(
        fleet.count(
            "suspicion u JOIN series s ON s.id = u.series_id",
            "s.variant = 'v1' AND u.nightly_id = 10") == 0);
}

TEST_CASE(
    "A variant started in another way starts new levels, and probes do so too", "[scenario]") {
    World world = world_of_five(1);
    world.changes = {{.commit = 70, .variant = "v1", .time = 1.6}};
    Fleet fleet(world, ":memory:");
    fleet.config().projects.at("lab").launches["fast"].allocator = Allocator::tcmalloc;
    for (int night = 0; night < 9; ++night) fleet.night(night);
    CHECK(fleet.count("event", "kind LIKE 'series.%'") == 0);

    auto& lab = fleet.config().projects.at("lab");
    lab.suites.at("core").at(1).launch.emplace().cores = "0-3";
    lab.suites.at("core").at(2).launch = lab.launches.at("fast");  // says the same
    fleet.night(40);
    CHECK(fleet.count("event", "kind = 'series.changed'") == 1);
    CHECK(has(words_of(fleet, "series.changed"), "model (v1) on fast is measured by another"));
    for (int night = 44; night < 90; night += 4) fleet.night(night);
    CHECK(fleet.count("event", "kind = 'series.changed'") == 1);
    CHECK(fleet.count("regression") == 1);
    // All that measures v1 from then on, confirmation and search too.
    const std::string later =
        "id > (SELECT max(id) FROM job WHERE nightly_id = 9) AND plan LIKE "
        "'%\"variant\":\"v1\"%'";
    const std::string otherwise = " AND plan NOT LIKE '%\"launch\":{\"cores\":\"0-3\"}%'";
    CHECK(fleet.count("job", later + otherwise) == 0);
    for (const std::string purpose : {"nightly", "confirm", "probe"}) {
        CAPTURE(purpose);
        CHECK(fleet.count("job", later + " AND purpose = '" + purpose + "'") > 0);
    }
    CHECK(fleet.count("job", "plan NOT LIKE '%\"launch\"%'") == 0);
}

TEST_CASE("Series that come and go are one event for each cause", "[scenario]") {
    Fleet fleet(world_of_five(2), ":memory:");
    fleet.night(0);
    CHECK(fleet.count("event", "kind LIKE 'series.%'") == 0);
    auto& plans = fleet.config().projects.at("lab").suites.at("core");
    const auto all = plans;
    plans.resize(2);
    fleet.night(5);
    CHECK(fleet.count("event", "kind = 'series.gone'") == 1);
    CHECK(has(words_of(fleet, "series.gone"), "6 series no longer planned: model (v2) on fast"));
    CHECK(has(words_of(fleet, "series.gone"), "and 1 more"));
    fleet.night(10);
    CHECK(fleet.count("event", "kind LIKE 'series.%'") == 1);

    plans = all;
    plans.push_back(all.front());
    plans.back().variant = "v9";
    fleet.night(15);
    // Those that come back are known; only v9 is new.
    CHECK(fleet.count("event", "kind = 'series.new'") == 1);
    CHECK(has(words_of(fleet, "series.new"), "2 series measured for the first time: model (v9)"));
}

TEST_CASE("What was planned and failed is no series that went", "[scenario]") {
    World world = world_of_five(3);
    world.crashes = {{"v3", 20}};
    Fleet fleet(world, ":memory:");
    fleet.night(0);
    fleet.night(40);
    CHECK(fleet.count("event", "kind LIKE 'series.%'") == 0);
    CHECK(fleet.count("suspicion", "kind = 'outcome'") == 1);
}
