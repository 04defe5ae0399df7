#include "service/store/troubles.hpp"

#include <catch2/catch.hpp>

#include "service/store/migrate.hpp"

namespace vigil::service {
namespace {

struct TroubleLedger {
    Database db = Database::open_writer(":memory:");
    TroubleLedger() { migrate(db); }
    std::int64_t events() { return db.find<std::int64_t>("SELECT count(*) FROM event").value(); }
};

Trouble failed(const std::string& message) {
    return {"source.failed", "project/json", std::nullopt, message, 0, 0};
}

TEST_CASE("A cause that lasts is told once, with its newest message", "[service][store]") {
    TroubleLedger ledger;
    CHECK(note_trouble(ledger.db, failed("cannot connect"), 10));
    CHECK_FALSE(note_trouble(ledger.db, failed("timed out"), 20));
    CHECK(ledger.events() == 1);
    const auto open = list_troubles(ledger.db);
    REQUIRE(open.size() == 1);
    CHECK(open[0].message == "timed out");
    CHECK(open[0].since_s == 10);
    CHECK(open[0].seen_s == 20);
}

TEST_CASE("A cause that ended and comes again is a new one", "[service][store]") {
    TroubleLedger ledger;
    CHECK_FALSE(end_trouble(ledger.db, "source.failed", "project/json", 5));
    note_trouble(ledger.db, failed("cannot connect"), 10);
    CHECK_FALSE(end_trouble(ledger.db, "source.failed", "project/other", 20));
    CHECK(end_trouble(ledger.db, "source.failed", "project/json", 20));
    CHECK(list_troubles(ledger.db).empty());
    CHECK(note_trouble(ledger.db, failed("cannot connect"), 30));
    CHECK(list_troubles(ledger.db)[0].since_s == 30);
}

}  // namespace
}  // namespace vigil::service
