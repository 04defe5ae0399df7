#include "service/store/series/old_suspicions.hpp"

#include <catch2/catch.hpp>

#include "service/store/migrate.hpp"
#include "service/store/series/suspicions.hpp"

namespace vigil::service {
namespace {

SuspicionId add_refuted(Database& db, int night) {
    ToldChange told;
    told.series = SeriesId{1};
    told.nightly = NightlyId{night};
    told.good_nightly = NightlyId{1};
    told.session = SessionId{1};
    told.reason = "refuted";
    const auto added = add_told_suspicion(db, told, night);
    REQUIRE(added);
    db.execute("UPDATE suspicion SET verdict = 'noise' WHERE id = ?1", *added);
    return *added;
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
    // None is left in the table, in which numbers are counted.
    const auto first = add_refuted(db, 10);
    CHECK(shorten_all(db, 10) == 1);
    const auto second = add_refuted(db, 11);
    CHECK(second > first);
    CHECK(shorten_all(db, 11) == 1);
    CHECK(add_refuted(db, 12) > second);
    CHECK(shorten_all(db, 12) == 1);
    CHECK(
        db.find<int>("SELECT count(*) FROM every_suspicion") ==
        db.find<int>("SELECT count(DISTINCT id) FROM every_suspicion"));
    CHECK(db.find<int>("SELECT count(*) FROM every_suspicion") == 3);
}

}  // namespace
}  // namespace vigil::service
