#include "service/watch/night/withdraw.hpp"

#include <algorithm>
#include <set>

#include <catch2/catch.hpp>

#include "service/store/nights/rolled.hpp"
#include "service/store/nights/withdrawals.hpp"
#include "service/watch/night/night_words.hpp"
#include "service/watch/series/series_records.hpp"
#include "tests/integration/service/watch/played_series.hpp"

namespace vigil::service {
namespace {

using namespace testing;

template <class Work>
void commit(Database& db, Work work) {
    Transaction transaction(db);
    work();
    transaction.commit();
}

std::vector<std::int64_t> measured_nights(const Play& play) {
    std::vector<std::int64_t> ids;
    for (const auto& [night, events] : play.told()) ids.push_back(night);
    return ids;
}

/// The oldest and the newest, one of each kind of event, and one of none.
std::set<std::int64_t> telling_nights(const Play& play) {
    const auto ids = measured_nights(play);
    std::set<std::int64_t> chosen{ids.front(), ids.back()};
    const auto add = [&](const auto& is_such) {
        const auto& told = play.told();
        const auto found =
            std::find_if(std::next(told.begin(), 3), told.end(), [&](const auto& one) {
                return is_such(one.second) && !chosen.contains(one.first);
            });
        if (found != told.end()) chosen.insert(found->first);
    };
    add([](const NightEvents& events) { return events.is_filed; });
    add([](const NightEvents& events) { return events.answer && !events.is_filed; });
    add([](const NightEvents& events) { return !events.levels.empty(); });
    add([](const NightEvents& events) { return !events.answer && events.levels.empty(); });
    return chosen;
}

TEST_CASE("A history without a night is that of a ledger which never had it", "[service][watch]") {
    int filed = 0;
    int answered = 0;
    int told = 0;
    for (std::uint32_t seed = 1; seed <= 30; ++seed) {
        Play play(seed);
        const auto live = play.next_record();
        REQUIRE(play.fed_without(0) == live);
        play.db().execute("INSERT INTO stale_record SELECT id FROM series");
        REQUIRE(play.next_record() == live);
        play.db().execute("DELETE FROM stale_record");
        const auto ids = measured_nights(play);
        for (const auto night : telling_nights(play)) {
            CAPTURE(seed, night);
            const auto& events = play.told().at(night);
            filed += events.is_filed ? 1 : 0;
            answered += events.answer ? 1 : 0;
            told += static_cast<int>(events.levels.size());
            WithdrawnPart part{NightlyId{night}};
            if (seed % 2 == 0) part.worker = play.worker_of_night(night);
            commit(play.db(), [&] { CHECK(withdraw(play.db(), part, "hot", "ada", 2)); });
            const auto without = play.fed_without(night);
            CHECK(play.next_record() == without);
            commit(play.db(), [&] { CHECK(remake_records(play.db(), play.config(), 10) == 1); });
            CHECK(play.next_record() == without);
            commit(play.db(), [&] { CHECK(remake_records(play.db(), play.config(), 10) == 0); });
            play.db().execute("DELETE FROM series_record");
            CHECK(play.next_record() == without);
            commit(play.db(), [&] { CHECK(restore(play.db(), part, "", "ada", 3)); });
            CHECK(play.next_record() == live);
            commit(play.db(), [&] { remake_records(play.db(), play.config(), 10); });
            CHECK(play.next_record() == live);
        }
    }
    // The dice gave cases of each kind.
    CHECK(filed > 3);
    CHECK(answered > 10);
    CHECK(told > 3);
}

TEST_CASE("What is measured beside the nights is in no history", "[service][watch]") {
    Play play(8);
    auto& db = play.db();
    const auto live = play.next_record();
    db.execute("UPDATE nightly SET version = version || ' before' WHERE id = 5");
    db.execute(
        "INSERT INTO nightly(project_id, build_id, version, day, revision, state, created_at_s, "
        "beside) SELECT project_id, build_id, 'again', day, revision, 'done', 1, 'older' "
        "FROM nightly WHERE id = 5");
    const auto beside = db.last_insert_id();
    db.execute(
        "INSERT INTO job(project_id, machine_class_id, purpose, state, priority, nightly_id, plan, "
        "attempt, created_at_s) SELECT project_id, machine_class_id, purpose, state, 0, ?1, plan, "
        "1, 1 FROM job WHERE nightly_id = 5",
        beside);
    db.execute(
        "INSERT INTO run(job_id, attempt, step, build_id, benchmark, variant, machine_class_id, "
        "worker_id, outcome, started_at_ns, duration_ns) SELECT ?1, 1, 0, build_id, benchmark, "
        "variant, machine_class_id, worker_id, outcome, 1, 1 FROM run WHERE build_id = 5 LIMIT 1",
        db.last_insert_id());
    db.execute(
        "INSERT INTO measurement VALUES (?1, ?2, 9e9, 0, 1, x'00')",
        db.last_insert_id(),
        play.series().id);
    CHECK(play.next_record() == live);
    commit(db, [&] { mark_stale(db, NightlyId{6}, std::nullopt); });
    commit(db, [&] { CHECK(remake_records(db, play.config(), 10) == 1); });
    CHECK(play.next_record() == live);
    db.execute("DELETE FROM series_record");
    CHECK(play.next_record() == live);
}

TEST_CASE("Several nights may be withdrawn, and come back in any order", "[service][watch]") {
    for (std::uint32_t seed = 100; seed < 106; ++seed) {
        CAPTURE(seed);
        Play play(seed);
        const auto live = play.next_record();
        const auto ids = measured_nights(play);
        const NightlyId a{ids[8]}, b{ids[20]};
        commit(play.db(), [&] { withdraw(play.db(), {a}, "hot", "ada", 2); });
        const auto without_a = play.next_record();
        commit(play.db(), [&] { withdraw(play.db(), {b}, "hot", "ada", 2); });
        commit(play.db(), [&] { remake_records(play.db(), play.config(), 10); });
        CHECK(play.next_record() != without_a);
        commit(play.db(), [&] { restore(play.db(), {b}, "", "ada", 2); });
        CHECK(play.next_record() == without_a);
        commit(play.db(), [&] { restore(play.db(), {a}, "", "ada", 2); });
        CHECK(play.next_record() == live);
    }
}

TEST_CASE("Withdrawing is done once, and says what cannot be", "[service][watch]") {
    Play play(7);
    auto& db = play.db();
    const NightlyId night{measured_nights(play)[5]};
    const auto worker = play.worker_of_night(night.value);
    commit(db, [&] { CHECK(withdraw(db, {night}, "hot", "ada", 2)); });
    commit(db, [&] { CHECK_FALSE(withdraw(db, {night}, "cold", "bob", 3)); });
    const auto standing = list_withdrawals(db, night);
    REQUIRE(standing.size() == 1);
    CHECK(words_of(standing[0]) == "withdrawn by ada: hot");
    CHECK(db.find<int>("SELECT count(*) FROM event WHERE kind = 'nightly.withdrawn'") == 1);
    CHECK(db.find<int>("SELECT count(*) FROM nightly WHERE summed_up = 0 AND id = ?1", night) == 1);
    CHECK_FALSE(find_night_value(db, play.series().id, night));
    CHECK(load_left_out(db, play.series().id, play.newest(), 60).size() == 2);  // and the unjudged

    commit(db, [&] { CHECK(withdraw(db, {night, worker}, "driver", "bob", 4)); });
    CHECK(list_withdrawals(db, night).size() == 2);
    commit(db, [&] { CHECK(restore(db, {night}, "", "ada", 5)); });
    CHECK_FALSE(find_night_value(db, play.series().id, night));
    commit(db, [&] { CHECK(restore(db, {night, worker}, "", "ada", 5)); });
    commit(db, [&] { CHECK_FALSE(restore(db, {night, worker}, "", "ada", 6)); });
    CHECK(find_night_value(db, play.series().id, night));
    CHECK(db.find<int>("SELECT count(*) FROM event WHERE kind = 'nightly.restored'") == 2);

    CHECK_THROWS_AS(withdraw(db, {NightlyId{999}}, "hot", "ada", 7), Error);
    CHECK_THROWS_AS(withdraw(db, {night, "nobody"}, "hot", "ada", 7), Error);
    CHECK_THROWS_AS(withdraw(db, {night, "three"}, "hot", "ada", 7), Error);
    db.execute("UPDATE nightly SET beside = 'older' WHERE id = ?1", night);
    CHECK_THROWS_AS(withdraw(db, {night}, "hot", "ada", 7), Error);
}

TEST_CASE("A night that is rolled up can be neither withdrawn nor restored", "[service][watch]") {
    Play play(7);
    auto& db = play.db();
    const NightlyId old{measured_nights(play)[4]};
    const NightlyId withdrawn{measured_nights(play)[5]};
    commit(db, [&] { CHECK(withdraw(db, {withdrawn}, "hot", "ada", 2)); });
    for (const auto night : {old, withdrawn}) begin_roll_up(db, night, 3 * 86'400);
    CHECK_THROWS_WITH(
        withdraw(db, {old}, "hot", "ada", 7), Catch::Contains("was rolled up on 1970-01-04"));
    CHECK_THROWS_WITH(
        restore(db, {withdrawn}, "", "ada", 7), Catch::Contains("was rolled up on 1970-01-04"));
    CHECK(find_night_value(db, play.series().id, old));
    CHECK(list_withdrawals(db, withdrawn).size() == 1);
}

TEST_CASE("A withdrawn night's changes are told anew, once", "[service][watch]") {
    for (std::uint32_t seed = 1; seed < 40; ++seed) {
        Play play(seed);
        auto& db = play.db();
        const auto night = db.find<NightlyId>("SELECT nightly_id FROM regression LIMIT 1");
        if (!night) continue;
        db.execute("UPDATE regression SET unreported = 0");
        commit(db, [&] { withdraw(db, {*night}, "hot", "ada", 50); });
        CHECK(
            db.find<int>(
                "SELECT count(*) FROM regression WHERE unreported = 1 AND changed_at_s = "
                "50 AND nightly_id = ?1",
                *night) == 1);
        CHECK(db.find<int>("SELECT count(*) FROM regression WHERE state <> 'reported'") == 0);
        return;
    }
    FAIL("the dice filed nothing");
}

}  // namespace
}  // namespace vigil::service
