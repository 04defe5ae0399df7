#include <catch2/catch.hpp>

#include "schema/sql/migrations.hpp"
#include "service/store/findings/mendings.hpp"
#include "service/store/migrate.hpp"

// A ledger from before what mended was measured.

using namespace vigil;
using namespace vigil::service;

TEST_CASE("What was told of a recovery comes into the newest schema", "[service][watch]") {
    constexpr int before_measuring = 22;
    Database db = Database::open_writer(":memory:");
    for (const auto& migration : sql::migrations()) {
        if (migration.version <= before_measuring) db.execute_script(migration.sql);
    }
    db.execute_script("PRAGMA user_version = " + std::to_string(before_measuring));
    db.execute_script(R"sql(
INSERT INTO project VALUES (1, 'tensorlab', 1000);
INSERT INTO build(id, project_id, revision, input_kind, created_at_s)
    VALUES (1, 1, hex(zeroblob(20)), 'source_tree', 1000);
INSERT INTO nightly(id, project_id, build_id, version, day, revision, state, created_at_s)
    VALUES (1, 1, 1, '2026-11-19', '2026-11-19', hex(zeroblob(20)), 'done', 1000);
INSERT INTO regression(id, project_id, nightly_id, good_build_id, bad_build_id, state,
    created_at_s, changed_at_s) VALUES (1, 1, 1, 1, 1, 'closed', 2000, 2500);
INSERT INTO bisection(id, project_id, nightly_id, good_revision, bad_revision, state, planner,
    settings, created_at_s, kind) VALUES (1, 1, 1, 'a', 'b', 'done', 9, '{}', 1000, 'build'),
    (2, 1, 1, 'a', 'b', 'done', 9, '{}', 1000, 'change');
INSERT INTO mending(id, regression_id, nightly_id, bad_nightly_id, state, told) VALUES
    (1, 1, 1, 1, 'told', '{"by":"one_of","revision":"","subject":"","author":"","merge":"",
    "merge_subject":"","reverts":"","of_suspects":false,"others":0,"only":false,"line_commits":7,
    "unread_commits":0,"rewritten":false,"unlisted":""}');
)sql");
    CHECK(migrate(db) > 0);
    const auto told = load_told(db, MendingId{1});
    CHECK(told.by == history::MendedBy::one_of);
    CHECK(told.line_commits == 7);
    CHECK(told.candidates.empty());
    CHECK(db.has("SELECT 1 FROM bisection WHERE id = 1 AND kind = 'build'"));
    CHECK(db.has("SELECT 1 FROM bisection WHERE id = 2 AND kind = 'change'"));
    CHECK(list_unmeasured(db, NightlyId{1}).size() == 1);
    note_search(db, MendingId{1}, BisectionId{2});
    CHECK(list_unmeasured(db, NightlyId{1}).empty());
    CHECK(find_measured(db, BisectionId{2}).has_value());
    db.execute_script("UPDATE bisection SET kind = 'mending' WHERE id = 2");
    CHECK_THROWS_AS(db.execute_script("UPDATE bisection SET kind = 'other'"), Error);
}
