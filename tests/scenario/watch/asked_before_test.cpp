#include "service/watch/asked_before.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"
#include "service/watch/session.hpp"
#include "tests/support/fleet.hpp"

using namespace vigil;
using tests::Fleet;
using tests::World;

namespace {

constexpr int calm_nights = 20;

// Steps that hide below the bar of noisy series; fewer of these than a storm asks for.
World hiding_world(unsigned seed) {
    World world{.seed = seed, .commits = 200, .variants = {}, .noise = 0.05};
    for (int v = 0; v < 6; ++v) {
        world.variants.push_back("v" + std::to_string(v));
        world.changes.push_back({.commit = 50, .variant = world.variants.back(), .time = 1.06});
    }
    return world;
}

std::optional<detect::Evidence> told_tonight(Fleet& fleet, int nightly) {
    const auto& config = fleet.config().projects.at("lab");
    const auto id =
        *fleet.db().find<SeriesId>("SELECT id FROM series WHERE metric = 'cpu_time_ns'");
    const auto series = service::load_series(fleet.db(), id);
    return service::find_told(fleet.db(), config, series, NightlyId{nightly});
}

// What a night's session says by its own runs, and what its verdict said.
std::pair<Comparison, Comparison> judged_alone_and_stated(Fleet& fleet, int nightly) {
    auto& db = fleet.db();
    auto rows = db.query(
        "SELECT series_id, session_id, confirmed FROM suspicion WHERE nightly_id = ?1 "
        "AND session_id IS NOT NULL",
        NightlyId{nightly});
    REQUIRE(rows.next());
    const auto series = service::load_series(db, rows.get<SeriesId>(0));
    const auto& config = fleet.config().projects.at("lab");
    auto rules = service::known_rules(db, config, series, NightlyId{nightly});
    rules.asked = Finding::worse;
    const auto runs = service::load_runs(db, rows.get<SessionId>(1), series.id);
    const auto stated = wire::parse_json(rows.get<std::string>(2), "suspicion.confirmed");
    return {detect::judge_session(runs, rules).comparison, wire::parse_comparison(stated)};
}

}  // namespace

TEST_CASE("Tonight and last night together open a session where neither does", "[scenario]") {
    int opened = 0;
    for (unsigned seed = 1; seed <= 3; ++seed) {
        CAPTURE(seed);
        Fleet fleet(hiding_world(seed), ":memory:");
        for (int night = 0; night < 12; ++night) fleet.night(night);
        for (int night = 0; night < 3; ++night) fleet.night(60 + night);
        const std::string by_two = "suspicion.reason LIKE '%two nights%'";
        opened += fleet.count("suspicion", by_two + " AND session_id IS NOT NULL");
        // Last night is not the good one.
        CHECK(fleet.count("suspicion", by_two + " AND good_nightly_id = nightly_id - 1") == 0);
        // What was asked last night is not asked together with it.
        CHECK(
            fleet.count(
                "suspicion JOIN suspicion l ON l.series_id = suspicion.series_id "
                "AND l.nightly_id = suspicion.nightly_id - 1",
                by_two + " AND l.waits = '' AND l.verdict <> 'watch'") == 0);
    }
    CHECK(opened >= 1);
}

TEST_CASE("What a session told counts for eight nights of its level", "[scenario]") {
    // Just under the threshold, and surely seen: nothing is filed.
    World world{.seed = 3, .commits = 200, .noise = 0.006};
    world.changes = {
        {.commit = 50, .variant = "infer", .time = 1.055},
        {.commit = 90, .variant = "infer", .time = 1.3}};
    Fleet fleet(world, ":memory:");
    for (int night = 0; night < calm_nights; ++night) fleet.night(night);
    CHECK_FALSE(told_tonight(fleet, calm_nights).has_value());
    fleet.night(60);
    const int asked = calm_nights + 1;
    REQUIRE(
        fleet.count(
            "suspicion",
            "session_id IS NOT NULL AND verdict IN ('drift', 'noise') AND nightly_id = " +
                std::to_string(asked)) == 1);
    const auto told = told_tonight(fleet, asked + 1);
    REQUIRE(told.has_value());
    CHECK(told->change == Approx(std::log(1.055)).margin(0.02));
    CHECK(told->variance > 0);
    CHECK(told->change > 3 * std::sqrt(told->variance));
    for (int night = 1; night <= 8; ++night) fleet.night(60 + night);
    const auto newest =
        *fleet.db().find<int>("SELECT MAX(nightly_id) FROM suspicion WHERE session_id IS NOT NULL");
    CHECK(told_tonight(fleet, newest + 1).has_value());
    // The session of the night after was judged together with what had been told.
    const auto [alone, stated] = judged_alone_and_stated(fleet, asked + 1);
    CHECK(alone.runs_after == stated.runs_after);
    CHECK(stated.high - stated.low < 0.9 * (alone.high - alone.low));
    for (int night = 9; night <= 20; ++night) fleet.night(60 + night);
    CHECK(
        told_tonight(fleet, calm_nights + 22).has_value() ==
        (*fleet.db().find<int>(
             "SELECT MAX(nightly_id) FROM suspicion WHERE session_id IS NOT NULL") >=
         calm_nights + 14));
    CHECK(fleet.count("regression") == 0);
    // What was filed begins a new level, of which nothing has been told.
    fleet.night(100);
    REQUIRE(fleet.count("suspicion", "verdict = 'regression'") == 1);
    CHECK_FALSE(told_tonight(fleet, calm_nights + 23).has_value());
}
