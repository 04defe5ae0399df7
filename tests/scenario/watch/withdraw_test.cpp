#include "service/watch/night/withdraw.hpp"

#include <functional>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "service/report/report_step.hpp"
#include "service/store/series/values.hpp"
#include "service/watch/series/series_records.hpp"
#include "tests/support/fleet.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::service;
using tests::Fleet;
using tests::World;

namespace {

World quiet_world(unsigned seed) {
    return {.seed = seed, .commits = 500, .variants = {"train", "infer"}, .noise = 0.01};
}

void play_from(Fleet& fleet, int from, int nights) {
    for (int night = 0; night < nights; ++night) fleet.night(from + 10 * night);
}

void commit(Fleet& fleet, const std::function<void(Database&)>& work) {
    Transaction transaction(fleet.db());
    work(fleet.db());
    transaction.commit();
}

NightlyId newest(Fleet& fleet) {
    return *fleet.db().find<NightlyId>("SELECT MAX(id) FROM nightly");
}

/// Withdraws the night at hand as soon as this is true of it.
void withdraw_when(Fleet& fleet, const std::string& condition) {
    fleet.kill = [&fleet, condition, done = false]() mutable {
        if (done || fleet.count("nightly n", condition) == 0) return false;
        done = true;
        withdraw(fleet.db(), {newest(fleet)}, "hot", "ada", fleet.now_s());
        return false;
    };
}

}  // namespace

TEST_CASE(
    "A night withdrawn while it is confirmed files nothing, the next one does", "[scenario]") {
    World world = quiet_world(3);
    world.changes = {{.commit = 123, .variant = "train", .time = 1.2}};
    Fleet fleet(world, ":memory:");
    play_from(fleet, 0, 13);
    withdraw_when(
        fleet,
        "n.state = 'confirming' AND EXISTS (SELECT 1 FROM job j WHERE j.nightly_id = n.id "
        "AND j.purpose = 'confirm' AND j.state = 'leased')");
    fleet.night(130);
    const auto withdrawn = newest(fleet);
    REQUIRE(fleet.count("withdrawal") == 1);
    CHECK(fleet.count("regression") == 0);
    CHECK(fleet.count("suspicion", "state <> 'ended'") == 0);
    CHECK(fleet.count("suspicion", "reason LIKE '%was withdrawn by ada: hot%'") == 1);
    CHECK(fleet.count("session", "state = 'open'") == 0);
    CHECK(fleet.count("job", "state IN ('queued', 'leased')") == 0);
    CHECK(fleet.count("nightly", "state <> 'done'") == 0);
    fleet.night(140);
    CHECK(fleet.culprits() == std::vector{fleet.revision(123)});
    commit(fleet, [&](Database& db) { restore(db, {withdrawn}, "", "ada", fleet.now_s()); });
    play_from(fleet, 150, 6);
    CHECK(fleet.count("regression") == 1);
    CHECK(fleet.count("nightly", "state <> 'done'") == 0);
}

TEST_CASE("A search goes on though its night is withdrawn, killed or not", "[scenario]") {
    const int kills = GENERATE(0, 3);
    const test::ScratchFolder folder;
    World world = quiet_world(2);
    world.changes = {{.commit = 123, .variant = "train", .time = 1.2}};
    Fleet fleet(world, (folder / "ledger.sqlite").string());
    play_from(fleet, 0, 13);
    fleet.kill = [&, left = kills, done = false]() mutable {
        const bool searching =
            fleet.count(
                "nightly n",
                "n.state = 'searching' AND EXISTS (SELECT 1 FROM job j WHERE j.nightly_id = n.id "
                "AND j.purpose = 'probe' AND j.state = 'leased')") > 0;
        if (done || !searching) return false;
        CHECK(withdraw(fleet.db(), {newest(fleet)}, "hot", "ada", fleet.now_s()));
        done = left == 0;
        return left-- > 0;
    };
    fleet.night(130);
    CHECK(fleet.kills() == kills);
    CHECK(fleet.count("withdrawal") == 1);
    CHECK(fleet.count("event", "kind = 'nightly.withdrawn'") == 1);
    CHECK(fleet.culprits() == std::vector{fleet.revision(123)});
    CHECK(fleet.count("job", "state = 'cancelled'") == 0);
    play_from(fleet, 140, 5);
    CHECK(fleet.count("regression") == 1);
}

TEST_CASE("What was confirmed and not filed is filed once its night is restored", "[scenario]") {
    World world = quiet_world(5);
    world.changes = {
        {.commit = 123, .variant = "train", .time = 1.3},
        {.commit = 123, .variant = "infer", .time = 1.15}};
    Fleet fleet(world, ":memory:");
    play_from(fleet, 0, 13);
    fleet.stop("fast-2");  // one session ends before the other
    const std::string half_way =
        "n.state = 'confirming' AND EXISTS (SELECT 1 FROM suspicion u WHERE u.nightly_id = n.id "
        "AND u.verdict = 'regression') AND EXISTS (SELECT 1 FROM suspicion u WHERE "
        "u.nightly_id = n.id AND u.state = 'confirming')";
    withdraw_when(fleet, half_way);
    fleet.night(130);
    const auto withdrawn = newest(fleet);
    REQUIRE(fleet.count("withdrawal", "cut_off = 1") == 1);
    CHECK(fleet.count("regression") == 0);
    CHECK(fleet.count("baseline", "withdrawn = 1") == 1);
    fleet.kill = [] { return false; };
    commit(fleet, [&](Database& db) { restore(db, {withdrawn}, "", "ada", fleet.now_s()); });
    fleet.night(140);
    CHECK(fleet.count("baseline", "withdrawn = 1") == 0);
    CHECK(fleet.count("regression", "culprit IS NOT NULL") >= 1);
    for (const auto& culprit : fleet.culprits()) CHECK(culprit == fleet.revision(123));
    CHECK(fleet.count("nightly", "state <> 'done'") == 0);
}

TEST_CASE("A filed regression outlives its night, and is not filed again", "[scenario]") {
    const auto seed = GENERATE(1u, 2u);
    CAPTURE(seed);
    World world = quiet_world(seed);
    world.changes = {
        {.commit = 123, .variant = "train", .time = 1.15},
        {.commit = 223, .variant = "train", .time = 1 / 1.15}};
    Fleet fleet(world, ":memory:");
    play_from(fleet, 0, 14);
    REQUIRE(fleet.culprits() == std::vector{fleet.revision(123)});
    commit(fleet, [&](Database& db) { report_step(db, fleet.config(), fleet.now_s()); });
    const auto night = fleet.db().find<NightlyId>("SELECT nightly_id FROM regression");
    commit(fleet, [&](Database& db) {
        withdraw(db, {*night}, "wrong driver", "ada", fleet.now_s() + 1);
        report_step(db, fleet.config(), fleet.now_s() + 1);
    });
    CHECK(
        fleet.count(
            "report",
            "kind = 'regression' AND version = 2 AND body LIKE '%withdrawn by ada: wrong "
            "driver%'") == 1);
    CHECK(
        fleet.count(
            "report",
            "kind = 'night' AND version = 2 AND title LIKE '%: withdrawn, 1 open' "
            "AND body LIKE '%withdrawn by ada: wrong driver; nothing is judged by it%'") == 1);
    const auto shown = load_left_out(fleet.db(), SeriesId{1}, newest(fleet), 60);
    REQUIRE(shown.size() == 1);
    CHECK(shown.front().nightly == *night);
    play_from(fleet, 140, 8);
    CHECK(fleet.count("regression") == 1);
    CHECK(fleet.count("regression", "state = 'closed'") == 0);
    play_from(fleet, 230, 4);
    CHECK(fleet.count("regression", "state = 'closed'") == 1);
    CHECK(fleet.count("regression") == 1);
}

TEST_CASE("A night withdrawn while it is measured ends, and later ones go on", "[scenario]") {
    Fleet fleet(quiet_world(4), ":memory:");
    play_from(fleet, 0, 8);
    withdraw_when(
        fleet,
        "n.state = 'measuring' AND EXISTS (SELECT 1 FROM job j WHERE j.nightly_id = n.id "
        "AND j.state = 'done')");
    fleet.night(80);
    CHECK(
        fleet.count("nightly", "state = 'failed' AND message LIKE 'withdrawn by ada: hot%'") == 1);
    CHECK(fleet.count("job", "state = 'cancelled'") > 0);
    fleet.kill = [] { return false; };
    fleet.night(90);
    CHECK(fleet.count("nightly", "state = 'done' AND compared_series > 0") >= 8);
}

TEST_CASE("What no longer runs is held against the last night that counts", "[scenario]") {
    const bool only_workers = GENERATE(false, true);
    World world = quiet_world(6);
    world.crashes = {{"infer", 83}};
    Fleet fleet(world, ":memory:");
    play_from(fleet, 0, 9);
    const NightlyId last = newest(fleet);
    commit(fleet, [&](Database& db) {
        if (!only_workers) withdraw(db, {last}, "hot", "ada", 1);
        for (const std::string worker : {"fast-1", "fast-2"}) {
            if (only_workers) withdraw(db, {last, worker}, "hot", "ada", 1);
        }
    });
    fleet.night(90);
    CHECK(fleet.count("suspicion", "kind = 'outcome' AND verdict = 'broken'") == 1);
    CHECK(fleet.culprits() == std::vector{fleet.revision(83)});
}

TEST_CASE(
    "Nights after a withdrawal decide as if that night had never been", "[scenario][many-nights]") {
    const test::ScratchFolder folder;
    World world = quiet_world(9);
    world.noise = 0.02;
    world.changes = {
        {.commit = 203, .variant = "train", .time = 1.12},
        {.commit = 253, .variant = "infer", .time = 0.85}};
    enum class Memory { kept, remade, lost };
    const auto play_on = [&](Memory memory) {
        Fleet fleet(world, (folder / std::to_string(int(memory))).string());
        play_from(fleet, 0, 18);
        commit(fleet, [&](Database& db) { withdraw(db, {NightlyId{9}}, "hot", "ada", 1); });
        if (memory == Memory::remade) {
            commit(fleet, [&](Database& db) {
                CHECK(remake_records(db, fleet.config(), 3) == 3);
                CHECK(remake_records(db, fleet.config(), 100) > 0);
            });
        }
        std::vector<std::string> said;
        for (int night = 18; night < 28; ++night) {
            if (memory == Memory::lost) fleet.db().execute("DELETE FROM series_record");
            fleet.night(10 * night);
        }
        auto rows = fleet.db().query(
            "SELECT series_id || ' ' || nightly_id || ' ' || hex(record) FROM series_record "
            "UNION ALL SELECT series_id || ' ' || nightly_id || ' ' || reason FROM suspicion");
        while (rows.next()) said.push_back(rows.get<std::string>(0));
        CHECK(fleet.count("stale_record") == 0);
        return said;
    };
    const auto kept = play_on(Memory::kept);
    REQUIRE(kept.size() > 4);
    CHECK(play_on(Memory::remade) == kept);
    CHECK(play_on(Memory::lost) == kept);
}
