#include "service/report/report_step.hpp"

#include <atomic>
#include <sqlite3.h>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "service/report/deliver/outbox.hpp"
#include "service/store/troubles.hpp"
#include "tests/integration/service/report/ledger.hpp"

// When the step reports, what it costs, that no row keeps another one waiting, and what is told of
// a target.

using namespace vigil;
using namespace vigil::service;

namespace {

/// Rows that statements of connections opened meanwhile read without an index.
class ScannedRows {
  public:
    ScannedRows() {
        count = 0;
        sqlite3_auto_extension(reinterpret_cast<void (*)()>(watch));
    }
    ~ScannedRows() { sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(watch)); }
    ScannedRows(const ScannedRows&) = delete;
    ScannedRows& operator=(const ScannedRows&) = delete;

    static inline std::atomic<int> count = 0;

  private:
    static int add(unsigned, void*, void* statement, void*) {
        count += sqlite3_stmt_status(
            static_cast<sqlite3_stmt*>(statement), SQLITE_STMTSTATUS_FULLSCAN_STEP, 1);
        return 0;
    }
    static int watch(sqlite3* handle, const char**, const struct sqlite3_api_routines*) {
        return sqlite3_trace_v2(handle, SQLITE_TRACE_PROFILE, add, nullptr);
    }
};

void add_troubles(Ledger& ledger, const std::string& kind, int count) {
    for (int i = 0; i < count; ++i) {
        const Trouble trouble{
            .kind = kind,
            .subject = fmt::format("project/{}", i),
            .project = ProjectId{1},
            .message = "it is broken"};
        note_trouble(ledger.db, trouble, ledger.now_s);
    }
}

}  // namespace

TEST_CASE("The step looks up the reports of each regression by an index", "[service][report]") {
    const ScannedRows scanned;
    Ledger ledger;
    report_step(ledger.db, ledger.config, ledger.now_s);
    ledger.db.execute_script(
        "INSERT INTO regression (project_id, nightly_id, good_build_id, bad_build_id, state, "
        "created_at_s, changed_at_s) SELECT 1, 1, 1, 2, 'reported', 10, 10 FROM (WITH RECURSIVE "
        "n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT i FROM n);"
        "INSERT INTO report (kind, project_id, regression_id, version, title, body, created_at_s, "
        "checked_at_s) SELECT 'regression', 1, id, 1, 't', 'b', 20, 20 FROM regression "
        "WHERE id > 1;"
        "UPDATE regression SET unreported = 0 WHERE id > 1;");
    ledger.db.execute("UPDATE regression SET changed_at_s = ?1 WHERE id = 1", ledger.now_s + 50);
    ScannedRows::count = 0;
    report_step(ledger.db, ledger.config, ledger.now_s + 60);
    CHECK(ScannedRows::count < 1000);
}

TEST_CASE("Nightlies that do not build keep no other trouble waiting", "[service][report]") {
    Ledger ledger;
    add_troubles(ledger, "nightly.unbuildable", 45);
    for (int round = 0; round < 3; ++round) {
        report_step(ledger.db, ledger.config, ledger.now_s + round);
    }
    CHECK(ledger.count("report WHERE kind = 'trouble'") == 45);
    add_troubles(ledger, "source.failed", 1);
    report_step(ledger.db, ledger.config, ledger.now_s + 60);
    CHECK(ledger.count("report WHERE kind = 'trouble'") == 46);
    // Each of them is followed: what it says is looked at again in its turn.
    ledger.db.execute("UPDATE trouble SET message = 'it is still broken'");
    for (int round = 0; round < 4; ++round) {
        report_step(ledger.db, ledger.config, ledger.now_s + 70 + round);
    }
    CHECK(ledger.count("report WHERE version = 2 AND body LIKE '%still broken%'") == 45);
}

TEST_CASE("What did not change costs no write for a while", "[service][report]") {
    Ledger ledger;
    add_troubles(ledger, "nightly.unbuildable", 1);
    for (int round = 0; round < 3; ++round) {
        report_step(ledger.db, ledger.config, ledger.now_s + round);
    }
    const auto changes = [&] { return *ledger.db.find<std::int64_t>("SELECT total_changes()"); };
    const auto before = changes();
    report_step(ledger.db, ledger.config, ledger.now_s + 5);
    CHECK(changes() == before);
}

TEST_CASE("A trouble whose report cannot be written says so", "[service][report]") {
    Ledger ledger;
    add_troubles(ledger, "nightly.unbuildable", 1);
    ledger.db.execute_script(
        "INSERT INTO bisection(id, project_id, nightly_id, good_revision, bad_revision, state, "
        "planner, settings, created_at_s, kind, conclusion) SELECT 9, 1, 2, good_revision, "
        "bad_revision, 'done', 1, '{}', 9999999999, 'build', 'no JSON' FROM bisection "
        "WHERE id = 1;");
    report_step(ledger.db, ledger.config, ledger.now_s);
    CHECK(
        ledger.count(
            "report WHERE kind = 'trouble' AND title LIKE '%its report could not be written'") ==
        1);
    ledger.db.execute("UPDATE bisection SET conclusion = '' WHERE id = 9");
    report_step(ledger.db, ledger.config, ledger.now_s + 60);
    CHECK(ledger.count("report WHERE kind = 'trouble' AND version = 2") == 1);
}

TEST_CASE("One message that fails is no trouble while others arrive", "[service][report]") {
    Ledger ledger;
    report_step(ledger.db, ledger.config, ledger.now_s);
    const std::string files = "outbox WHERE target = 'files'";
    REQUIRE(ledger.count(files) == 2);
    DueDelivery delivery;
    delivery.outbox_id = ledger.db.find<std::int64_t>("SELECT max(id) FROM " + files).value_or(0);
    delivery.project = ProjectId{1};
    delivery.envelope.target = "files";
    delivery.begun.attempts = 5;
    const std::string open = "trouble WHERE kind = 'report.undelivered' AND ended_s IS NULL";
    ledger.db.execute(
        "UPDATE outbox SET state = 'sent', next_attempt_at_s = ?1 WHERE target = 'files'",
        ledger.now_s - 60);
    finish_delivery(ledger.db, delivery, later("it is slow"), ledger.now_s);
    CHECK(ledger.count(open) == 0);
    finish_delivery(ledger.db, delivery, later("it is slow"), ledger.now_s + 3600);
    CHECK(ledger.count(open) == 1);
}

TEST_CASE("A report that cannot be written says so, and the others are", "[service][report]") {
    Ledger ledger;
    ledger.db.execute("UPDATE suspicion SET confirmed = 'no JSON'");
    CHECK(report_step(ledger.db, ledger.config, ledger.now_s) > 0);
    CHECK(ledger.count("report WHERE title LIKE '%its report could not be written'") > 0);
    CHECK(ledger.count("regression WHERE state IN ('attributed', 'range')") == 0);
    const int stored = ledger.count("report");
    CHECK(report_step(ledger.db, ledger.config, ledger.now_s + 60) == 0);
    CHECK(ledger.count("report") == stored);
}

TEST_CASE("The step reports once, and again only when the text changed", "[service][report]") {
    Ledger ledger;
    auto& db = ledger.db;
    CHECK(report_step(db, ledger.config, 3000) == 2);  // the regression, and the first night
    CHECK(ledger.count("regression WHERE state = 'reported'") == 1);
    CHECK(ledger.count("report WHERE kind = 'regression'") == 1);
    CHECK(ledger.count("outbox") == 3);  // the night goes to files only
    CHECK(report_step(db, ledger.config, 3001) == 0);
    CHECK(report_step(db, ledger.config, 3002) == 0);

    db.execute("UPDATE regression SET state = 'acknowledged', changed_at_s = 3002 WHERE id = 1");
    CHECK(report_step(db, ledger.config, 3002) == 1);
    CHECK(report_step(db, ledger.config, 3003) == 0);
    CHECK(ledger.count("report WHERE kind = 'regression' AND version = 2") == 1);
    CHECK(ledger.count("outbox") == 5);

    db.execute("UPDATE nightly SET state = 'done', ended_at_s = 3100 WHERE id = 2");
    CHECK(report_step(db, ledger.config, 3100) == 1);
    CHECK(report_step(db, ledger.config, 3200) == 0);
    CHECK(ledger.count("report WHERE kind = 'night'") == 2);
}
