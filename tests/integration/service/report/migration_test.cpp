#include <catch2/catch.hpp>

#include "schema/sql/migrations.hpp"
#include "service/report/deliver/envelope_rows.hpp"
#include "service/store/database.hpp"
#include "service/store/migrate.hpp"
#include "service/store/reports/commands.hpp"
#include "service/store/reports/notices.hpp"
#include "tests/support/scratch_folder.hpp"

// A ledger that held reports before troubles had any, and before trackers had a pace.

using namespace vigil;
using namespace vigil::service;

namespace {

constexpr int before_trouble_reports = 12;
constexpr int before_answers_as_notices = 45;
constexpr int before_ended_as = 48;

constexpr const char* old_rows = R"sql(
INSERT INTO project VALUES (1, 'tensorlab', 1000);
INSERT INTO build VALUES (1, 1, 'a', 'source_tree', NULL, '', 1000),
    (2, 1, 'b', 'source_tree', NULL, '', 2000);
INSERT INTO nightly VALUES (1, 1, 2, '2026-11-19', '2026-11-19', 'b', 'done', '', 1000, 1500);
INSERT INTO regression (id, project_id, nightly_id, good_build_id, bad_build_id, state,
    created_at_s, changed_at_s) VALUES (1, 1, 1, 1, 2, 'reported', 2000, 2500);
INSERT INTO report(id, kind, project_id, regression_id, nightly_id, version, title, body,
    created_at_s, checked_at_s) VALUES
    (3, 'regression', 1, 1, NULL, 1, 'slower', 'b1', 2600, 2700),
    (4, 'regression', 1, 1, NULL, 2, 'slower', 'b2', 2650, 2700),
    (5, 'night', 1, NULL, 1, 1, 'night', 'b3', 2600, 0);
INSERT INTO outbox(id, report_id, target, state, attempts, ambiguous, next_attempt_at_s,
    external_ref, message) VALUES
    (6, 3, 'issues', 'sent', 1, 0, 2600, 'https://tracker.example/issues/1', ''),
    (7, 4, 'issues', 'pending', 1, 1, 2660, '', 'no answer'),
    (8, 5, 'issues', 'pending', 0, 0, 0, '', '');
)sql";

/// @param from  it has the migrations up to this one
void make_schema(Database& db, int version, int from = 0) {
    for (const auto& migration : sql::migrations()) {
        if (migration.version > version) break;
        if (migration.version <= from) continue;
        db.execute_script(migration.sql);
    }
    db.execute_script("PRAGMA user_version = " + std::to_string(version));
}

}  // namespace

TEST_CASE("Reports and their messages come into the newest schema whole", "[service][report]") {
    const test::ScratchFolder folder;
    Database db = Database::open_writer(folder.path() / "vigil.db");
    make_schema(db, before_trouble_reports);
    db.execute_script(old_rows);
    CHECK(migrate(db) > 0);

    CHECK_FALSE(db.find<std::string>("SELECT \"table\" FROM pragma_foreign_key_check"));
    const auto count = [&](const std::string& what) {
        return db.find<int>("SELECT count(*) FROM " + what).value_or(-1);
    };
    CHECK(count("report WHERE subject = 'regression/1'") == 2);
    CHECK(count("regression WHERE unreported = 0") == 1);
    CHECK(count("report WHERE subject = 'nightly/1'") == 1);
    CHECK(count("outbox") == 3);
    // What was on its way may have filed; what was never tried did not.
    CHECK(count("outbox WHERE id = 7 AND in_flight AND filings = 1 AND message <> ''") == 1);
    CHECK(count("outbox WHERE id = 8 AND NOT in_flight AND filings = 0") == 1);

    CHECK(resume_outbox(db, 3000) == 1);
    auto due = load_due(db, find_due(db, "issues", 3000).value());
    const Envelope envelope = envelope_of(db, due, 3000);
    CHECK(envelope.body == "b2");
    CHECK(envelope.external_ref == "https://tracker.example/issues/1");
    CHECK(envelope.marker.line.starts_with("<!-- vigil:regression:"));
}

TEST_CASE("How closed regressions ended is read from what they hold", "[service][report]") {
    const test::ScratchFolder folder;
    Database db = Database::open_writer(folder.path() / "vigil.db");
    make_schema(db, before_trouble_reports);
    db.execute_script(old_rows);
    make_schema(db, before_ended_as, before_trouble_reports);
    db.execute_script(R"sql(
INSERT INTO machine_class VALUES (1, 'xeon');
INSERT INTO series(id, project_id, benchmark, variant, machine_class_id, metric, definition, unit,
    direction) VALUES (1, 1, 'mlp', 'train', 1, 'cpu_time_ns', 1, 'ns', 'lower_is_better'),
    (2, 1, 'mlp', 'infer', 1, 'cpu_time_ns', 1, 'ns', 'lower_is_better');
INSERT INTO suspicion(id, series_id, nightly_id, good_nightly_id, state, kind, base, value,
    change_ratio, reason, created_at_s) VALUES (1, 1, 1, 1, 'ended', 'level', 1, 2, 1, '', 2000),
    (2, 2, 1, 1, 'ended', 'level', 1, 2, 1, '', 2000);
INSERT INTO regression (id, project_id, nightly_id, good_build_id, bad_build_id, state,
    created_at_s, changed_at_s) VALUES (2, 1, 1, 1, 2, 'closed', 2000, 2500),
    (3, 1, 1, 1, 2, 'closed', 2000, 2500), (4, 1, 1, 1, 2, 'closed', 2000, 2500),
    (5, 1, 1, 1, 2, 'recovered', 2000, 2500), (6, 1, 1, 1, 2, 'refuted', 2000, 2500);
UPDATE regression SET unreported = 0;
INSERT INTO regression_series(regression_id, series_id, suspicion_id, recovered_nightly_id) VALUES
    (1, 1, 1, NULL), (2, 1, 1, 1), (2, 2, 2, 1), (3, 1, 1, 1), (3, 2, 2, NULL), (6, 1, 1, NULL);
UPDATE report SET told_state = 'reported';
INSERT INTO report(kind, project_id, regression_id, version, title, body, created_at_s, told_state)
    VALUES ('regression', 1, 2, 1, 'back', 'b', 2600, 'closed');
)sql");
    CHECK(migrate(db) > 0);
    const auto ends = db.all<std::string>(
        "SELECT id || ' ' || state || ' ' || coalesce(ended_as, '') FROM regression ORDER BY id");
    CHECK(
        ends == std::vector<std::string>{
                    "1 reported ",
                    "2 closed recovered",
                    "3 closed not_reproduced",
                    "4 closed joined",
                    "5 closed recovered",
                    "6 refuted "});
    const auto told = find_told(db, {.project = ProjectId{1}, .regression = RegressionId{2}});
    REQUIRE(told);
    CHECK(told->ended_as == RegressionEnd::recovered);
    CHECK(db.find<int>("SELECT count(*) FROM regression WHERE unreported") == 0);
}

TEST_CASE("What was decided and not answered yet is answered as a notice", "[service][report]") {
    const test::ScratchFolder folder;
    Database db = Database::open_writer(folder.path() / "vigil.db");
    make_schema(db, before_answers_as_notices);
    db.execute_script(
        "INSERT INTO command(target, issue, issue_url, comment, login, words, answer, state, "
        "attempts, in_flight, next_attempt_at_s, created_at_s) VALUES "
        "('issues', 7, '', 1, 'ada', '/vigil ack', 'Done.', 'pending', 2, 1, 900, 800), "
        "('issues', 7, '', 2, 'ada', '/vigil ack', '', 'pending', 0, 0, 0, 800), "
        "('issues', 7, '', 3, 'ada', '/vigil ack', 'Done.', 'sent', 0, 0, 0, 800)");
    CHECK(migrate(db) > 0);
    const auto due = list_due_notices(db, 1000);
    REQUIRE(due.size() == 1);
    CHECK(due[0].words.place == "answer/1");
    CHECK(due[0].words.number == 7);
    CHECK(due[0].words.body == "Done.\n");
    REQUIRE(list_due_commands(db, 1000).size() == 1);
    CHECK(list_due_commands(db, 1000)[0].id == 2);
    CHECK(resume_commands(db, 1000) == 0);
}
