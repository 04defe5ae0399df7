#include "service/store/shrink.hpp"

#include <catch2/catch.hpp>

#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

std::int64_t pages(Database& db) {
    return db.find<std::int64_t>("PRAGMA page_count").value_or(0);
}

void fill_and_empty(Database& db, int rows) {
    db.execute_script("CREATE TABLE big(x BLOB)");
    db.execute(
        "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ?1) "
        "INSERT INTO big SELECT zeroblob(4000) FROM n",
        rows);
    db.execute("DELETE FROM big");
}

}  // namespace

TEST_CASE("A ledger that is mostly unused becomes smaller in slices", "[service][store]") {
    const test::ScratchFolder scratch;
    auto db = Database::open_writer(scratch / "ledger.sqlite");
    fill_and_empty(db, 6000);
    const auto before = pages(db);
    int slices = 1;
    auto last = before;
    while (shrink_slice(db)) {
        ++slices;
        CHECK(last - pages(db) <= 257);  // and a page that points to them
        last = pages(db);
    }
    CHECK(slices > 10);
    CHECK(pages(db) <= 2100);
    CHECK_FALSE(shrink_slice(db));
    CHECK(db.find<std::string>("PRAGMA integrity_check") == "ok");
}

TEST_CASE("A ledger of an earlier version keeps its size", "[service][store]") {
    const test::ScratchFolder scratch;
    {
        auto db = Database::open_writer(scratch / "ledger.sqlite");
        db.execute_script("PRAGMA journal_mode = DELETE; PRAGMA auto_vacuum = NONE; VACUUM");
    }
    auto db = Database::open_writer(scratch / "ledger.sqlite");
    fill_and_empty(db, 6000);
    const auto before = pages(db);
    CHECK_FALSE(shrink_slice(db));
    CHECK(pages(db) == before);
}

TEST_CASE("Little that is unused is left to be used again", "[service][store]") {
    CHECK_FALSE(should_shrink({2048, 4000}));
    CHECK(should_shrink({2049, 20000}));
    CHECK_FALSE(should_shrink({2049, 20490}));
}
