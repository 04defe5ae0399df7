#include "service/store/database.hpp"

#include <catch2/catch.hpp>

#include "schema/model/states.hpp"
#include "service/store/events.hpp"
#include "service/store/ids.hpp"
#include "service/store/json_columns.hpp"
#include "service/store/migrate.hpp"
#include "tests/support/scratch_folder.hpp"

namespace vigil::service {
namespace {

Database open_ledger(const std::filesystem::path& file) {
    Database db = Database::open_writer(file);
    migrate(db);
    return db;
}

Errc code_of(const auto& action) {
    try {
        action();
    } catch (const Error& error) {
        return error.code();
    }
    FAIL("no error was thrown");
    return Errc::internal;
}

TEST_CASE("Every kind of value comes back as it was stored", "[service][store]") {
    Database db = Database::open_writer(":memory:");
    db.execute("CREATE TABLE t (a, b, c, d, e, f, g, h, i, j)");
    const Bytes bytes{std::byte{0}, std::byte{255}};
    const Revision revision(std::string(40, 'a'));
    const Digest digest(std::string(64, 'b'));
    db.execute(
        "INSERT INTO t VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        std::int64_t{1} << 62,
        true,
        0.1,
        std::string_view("a\0b", 3),
        bytes,
        std::optional<int>{},
        JobId{7},
        revision,
        digest,
        Purpose::probe);
    Query row = db.query("SELECT a, b, c, d, e, f, g, h, i, j FROM t");
    REQUIRE(row.next());
    CHECK(row.columns() == 10);
    CHECK(row.get<std::int64_t>(0) == std::int64_t{1} << 62);
    CHECK(row.get<bool>(1));
    CHECK(row.get<double>(2) == 0.1);
    CHECK(row.get<std::string>(3) == std::string("a\0b", 3));
    CHECK(row.get<Bytes>(4) == bytes);
    CHECK(row.get<Blob>(4).size() == 2);
    CHECK_FALSE(row.get<std::optional<int>>(5).has_value());
    CHECK(row.get<JobId>(6) == JobId{7});
    CHECK(row.get<Revision>(7) == revision);
    CHECK(row.get<Digest>(8) == digest);
    CHECK(row.get<Purpose>(9) == Purpose::probe);
    CHECK(row.get<std::optional<std::string>>(9) == "probe");
    CHECK_FALSE(row.next());
    CHECK_FALSE(row.next());
}

struct Ends {
    Revision first;  ///< empty: NULL
    std::vector<Revision> between;
};
struct Told {
    JobId job;
    std::optional<int> count;
    Ends ends;
    std::string words = "none";
};

TEST_CASE("A struct is read field by field, structs within it too", "[service][store]") {
    Database db = Database::open_writer(":memory:");
    db.execute("CREATE TABLE t (job, count, first, middle, words)");
    const Revision a(std::string(40, 'a'));
    const Revision b(std::string(40, 'b'));
    const auto add = "INSERT INTO t VALUES (?1, ?2, ?3, ?4, ?5)";
    db.execute(add, JobId{7}, std::optional<int>{}, Revision(), std::vector{a, b}, "one");
    db.execute(add, JobId{8}, 3, a, std::vector<Revision>{}, "two");
    const auto told = db.all<Told>("SELECT job, count, first, middle, words FROM t ORDER BY job");
    REQUIRE(told.size() == 2);
    CHECK(told[0].job == JobId{7});
    CHECK_FALSE(told[0].count.has_value());
    CHECK(told[0].ends.first.empty());
    CHECK(told[0].ends.between == std::vector{a, b});
    CHECK(told[0].words == "one");
    CHECK(told[1].count == 3);
    CHECK(told[1].ends.first == a);
    CHECK(told[1].ends.between.empty());
    CHECK(db.first<JobId>("SELECT job FROM t WHERE words = 'two'") == JobId{8});
    CHECK_FALSE(db.first<JobId>("SELECT job FROM t WHERE words = 'three'").has_value());

    db.execute("UPDATE t SET middle = '[1]', words = NULL WHERE job = 7");
    CHECK(code_of([&] { db.all<std::string>("SELECT words FROM t"); }) == Errc::internal);
    CHECK(code_of([&] { db.all<Ends>("SELECT first, middle FROM t"); }) == Errc::invalid_argument);
}

TEST_CASE("A value of another type than asked for is an error, not a guess", "[service][store]") {
    Database db = Database::open_writer(":memory:");
    Query row = db.query("SELECT NULL, 'x', 3000000000");
    REQUIRE(row.next());
    CHECK(code_of([&] { row.get<std::int64_t>(0); }) == Errc::internal);
    CHECK(code_of([&] { row.get<std::int64_t>(1); }) == Errc::internal);
    CHECK(code_of([&] { row.get<int>(2); }) == Errc::internal);
    CHECK(code_of([&] { row.get<std::string>(2); }) == Errc::internal);
}

TEST_CASE("The same statement can be open twice at once", "[service][store]") {
    Database db = Database::open_writer(":memory:");
    db.execute_script("CREATE TABLE t (a); INSERT INTO t VALUES (1), (2)");
    Query outer = db.query("SELECT a FROM t ORDER BY a");
    int pairs = 0;
    while (outer.next()) {
        Query inner = db.query("SELECT a FROM t ORDER BY a");
        while (inner.next()) ++pairs;
    }
    CHECK(pairs == 4);
}

TEST_CASE("An execute says how many rows it changed", "[service][store]") {
    Database db = Database::open_writer(":memory:");
    CHECK(db.execute("CREATE TABLE t (a UNIQUE)") == 0);
    CHECK(db.execute("INSERT INTO t VALUES (?1), (?2)", 1, 2) == 2);
    CHECK(db.execute("UPDATE t SET a = a WHERE a > ?1", 100) == 0);
    CHECK(db.execute("DELETE FROM t") == 2);
    CHECK(db.find<int>("SELECT a FROM t") == std::nullopt);
}

TEST_CASE("A broken constraint is a conflict that names it", "[service][store]") {
    Database db = open_ledger(":memory:");
    ensure_project(db, "one", 5);
    CHECK(code_of([&] {
              db.execute("INSERT INTO project(name, created_at_s) VALUES ('one', 6)");
          }) == Errc::conflict);
    CHECK_THROWS_WITH(
        db.execute("INSERT INTO project(name, created_at_s) VALUES ('one', 6)"),
        Catch::Contains("project.name"));
    CHECK(ensure_project(db, "one", 7) == ProjectId{1});
    CHECK(load_project_name(db, ProjectId{1}) == "one");
    CHECK(code_of([&] { load_project_name(db, ProjectId{9}); }) == Errc::not_found);
    const MachineClassId machine_class = ensure_machine_class(db, "cpu");
    CHECK(find_machine_class(db, "cpu") == machine_class);
    CHECK(load_machine_class_name(db, machine_class) == "cpu");
}

TEST_CASE("Events are only ever added", "[service][store]") {
    Database db = open_ledger(":memory:");
    const EventId first = record_event(db, 1, "job.leased", std::nullopt, "job/1", "leased");
    const EventId second = record_event(db, 2, "job.done", std::nullopt, "job/1", "done", "{}");
    CHECK(first < second);
    CHECK(code_of([&] { db.execute("UPDATE event SET message = ''"); }) == Errc::conflict);
    CHECK(code_of([&] { db.execute("DELETE FROM event"); }) == Errc::conflict);
}

TEST_CASE("A transaction that is not committed leaves nothing", "[service][store]") {
    Database db = open_ledger(":memory:");
    {
        Transaction transaction(db);
        ensure_project(db, "lost", 1);
    }
    CHECK_FALSE(find_project(db, "lost").has_value());
    Transaction transaction(db);
    ensure_project(db, "kept", 1);
    transaction.commit();
    CHECK(find_project(db, "kept").has_value());
}

TEST_CASE("A reader sees committed rows, cannot write, and does not block", "[service][store]") {
    const test::ScratchFolder folder;
    const auto file = folder.path() / "ledger.db";
    CHECK(code_of([&] { Database::open_reader(file); }) == Errc::unavailable);
    Database writer = open_ledger(file);
    Database reader = Database::open_reader(file);
    CHECK_THROWS_AS(reader.execute("DELETE FROM project"), Error);
    const Snapshot snapshot(reader);
    CHECK_FALSE(find_project(reader, "one").has_value());
    Transaction transaction(writer);
    ensure_project(writer, "one", 1);
    transaction.commit();
    CHECK_FALSE(find_project(reader, "one").has_value());  // the snapshot is from before
    Database other = Database::open_reader(file);
    CHECK(find_project(other, "one").has_value());
}

TEST_CASE("A reader's endless query is stopped", "[service][store]") {
    const test::ScratchFolder folder;
    const auto file = folder.path() / "ledger.db";
    Database writer = open_ledger(file);
    Database reader = Database::open_reader(file, std::chrono::milliseconds(20));
    Query endless = reader.query(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n");
    CHECK(code_of([&] { endless.next(); }) == Errc::unavailable);
    CHECK(schema_version(reader) >= 1);  // and the connection goes on
}

}  // namespace
}  // namespace vigil::service
