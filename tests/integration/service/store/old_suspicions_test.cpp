#include "service/store/series/old_suspicions.hpp"

#include <catch2/catch.hpp>

#include "service/store/migrate.hpp"

namespace vigil::service {
namespace {

SuspicionId add_refuted(Database& db, int night) {
    db.execute(
        "INSERT INTO suspicion(series_id, nightly_id, good_nightly_id, kind, state, verdict, base, "
        "value, change_ratio, reason, created_at_s, ended_at_s) VALUES (1, ?1, 1, 'level', "
        "'ended', 'noise', 1, 2, 1, 'refuted', ?1, ?1)",
        night);
    return SuspicionId{*db.find<std::int64_t>("SELECT max(id) FROM suspicion")};
}

int shorten_all(Database& db, int night) {
    int shortened = 0;
    for (const auto& one : list_refuted(db, NightlyId{night}, {}, 100)) {
        shortened += shorten_suspicion(db, one) ? 1 : 0;
    }
    return shortened;
}

TEST_CASE("No number of a suspicion comes twice, whatever became short", "[service][store]") {
    Database db = Database::open_writer(":memory:");
    migrate(db);
    db.execute_script("PRAGMA foreign_keys = OFF");
    // The only one of the ledger stays: the next one would have its number.
    const auto first = add_refuted(db, 10);
    CHECK(shorten_all(db, 10) == 0);
    const auto second = add_refuted(db, 11);
    CHECK(second > first);
    CHECK(shorten_all(db, 10) == 1);
    CHECK(shorten_all(db, 11) == 0);
    const auto third = add_refuted(db, 12);
    CHECK(third > second);
    CHECK(shorten_all(db, 11) == 1);
    CHECK(
        db.find<int>("SELECT count(*) FROM every_suspicion") ==
        db.find<int>("SELECT count(DISTINCT id) FROM every_suspicion"));
    CHECK(db.find<int>("SELECT count(*) FROM every_suspicion") == 3);
}

}  // namespace
}  // namespace vigil::service
