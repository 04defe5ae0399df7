#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/support/fleet.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using tests::Fleet;
using tests::World;

namespace {

enum class Memory { kept, lost, spoilt };

std::vector<std::string> list_texts(Fleet& fleet, const std::string& sql) {
    std::vector<std::string> found;
    auto rows = fleet.db().query(sql);
    while (rows.next()) found.push_back(rows.get<std::string>(0));
    return found;
}

/// All that the nights decided, as text.
std::vector<std::string> decisions_of(Fleet& fleet) {
    auto said = list_texts(
        fleet,
        "SELECT 'suspicion ' || series_id || ' ' || nightly_id || ' ' || good_nightly_id || ' ' || "
        "ifnull(verdict, '-') || ' ' || ifnull(since_nightly_id, 0) || ' ' || "
        "ifnull(since_earliest_id, 0) || ' ' || score || ' ' || reason FROM suspicion ORDER BY id");
    for (auto& drift : list_texts(
             fleet,
             "SELECT 'drift ' || series_id || ' ' || kind || ' ' || nightly_id || ' ' || "
             "since_nightly_id || ' ' || change_ratio FROM drift ORDER BY id")) {
        said.push_back(drift);
    }
    for (auto& record : list_texts(
             fleet,
             "SELECT 'record ' || series_id || ' ' || nightly_id || ' ' || hex(record) "
             "FROM series_record ORDER BY series_id")) {
        said.push_back(record);
    }
    return said;
}

std::vector<std::string> play(const World& world, int nights, Memory memory) {
    const test::ScratchFolder folder;
    Fleet fleet(world, (folder / "ledger.sqlite").string());
    for (int night = 0; night < nights; ++night) {
        if (memory == Memory::lost) fleet.db().execute("DELETE FROM series_record");
        if (memory == Memory::spoilt) {
            fleet.db().execute(
                "UPDATE series_record SET record = CASE series_id % 2 WHEN 0 THEN x'07' "
                "ELSE substr(record, 1, length(record) - 1) END");
        }
        fleet.night(10 * night);
    }
    return decisions_of(fleet);
}

World remembered_world(std::uint32_t seed, double noise) {
    return {.seed = seed, .commits = 2000, .variants = {"train", "infer"}, .noise = noise};
}

World a_step_then_an_improvement() {
    World world = remembered_world(11, 0.01);
    world.changes = {
        {.commit = 157, .variant = "infer", .time = 1.12},
        {.commit = 317, .variant = "infer", .time = 0.8}};
    return world;
}

World creep() {
    World world = remembered_world(12, 0.005);
    for (int i = 0; i < 5; ++i) {
        world.changes.push_back({.commit = 147 + 40 * i, .variant = "train", .time = 1.02});
    }
    return world;
}

World noise_that_is_refuted() {
    World world = remembered_world(13, 0.03);
    world.spell = 0.04;
    return world;
}

}  // namespace

TEST_CASE(
    "Nights judged from what is remembered decide as nights judged from all history",
    "[scenario][many-nights]") {
    const auto make = GENERATE(&a_step_then_an_improvement, &creep, &noise_that_is_refuted);
    const World world = make();
    CAPTURE(world.seed);
    const auto kept = play(world, 45, Memory::kept);
    REQUIRE(kept.size() > 4);
    CHECK(play(world, 45, Memory::lost) == kept);
    CHECK(play(world, 45, Memory::spoilt) == kept);
}

TEST_CASE("What is remembered of a series does not grow with its nights", "[scenario]") {
    const test::ScratchFolder folder;
    Fleet fleet(World{.commits = 2000}, (folder / "ledger.sqlite").string());
    for (int night = 0; night < 140; ++night) fleet.night(10 * night);
    const auto longest = fleet.db().find<int>("SELECT MAX(length(record)) FROM series_record");
    REQUIRE(longest);
    CHECK(*longest < 2500);
}
