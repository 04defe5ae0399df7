#include "service/store/migrate.hpp"

#include <fstream>
#include <iterator>

#include <catch2/catch.hpp>

#include "service/store/ids.hpp"
#include "tests/support/scratch_folder.hpp"

namespace vigil::service {
namespace {

/// The schema that the numbered patches led to.
std::string last_patch_script() {
    std::ifstream file(VIGIL_SOURCE_DIR "/tests/data/schema_at_last_patch.sql");
    return {std::istreambuf_iterator<char>(file), {}};
}

Database ledger_at_last_patch() {
    Database db = Database::open_writer(":memory:");
    db.execute_script(last_patch_script());
    db.execute_script("PRAGMA user_version = " + std::to_string(sql::last_patch));
    return db;
}

bool joins(char c) {
    return c == ' ' || c == '\n' || std::string_view("(),|<>=").find(c) != std::string_view::npos;
}

/// A statement without its comments, quotes of names and blanks that mean nothing.
std::string bare(std::string_view sql) {
    std::string text;
    bool quoted = false;
    for (std::size_t i = 0; i < sql.size(); ++i) {
        if (sql[i] == '\'') quoted = !quoted;
        if (!quoted && sql.substr(i, 2) == "--") i = std::min(sql.find('\n', i), sql.size() - 1);
        const bool blank = sql[i] == ' ' || sql[i] == '\n';
        if (quoted || (sql[i] != '"' && !blank)) {
            if (!quoted && joins(sql[i]) && text.ends_with(' ')) text.pop_back();
            text += sql[i];
        } else if (blank && !text.empty() && !joins(text.back())) {
            text += ' ';
        }
    }
    return text;
}

struct Made {
    std::string type, name, table, sql;
};

/// All that a schema holds: columns in their order, checks, keys, indexes, triggers and views.
std::vector<std::string> schema_of(Database& db) {
    std::vector<std::string> all;
    for (const auto& one : db.all<Made>(
             "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY 1, 2")) {
        all.push_back(one.type + " " + one.name + " of " + one.table + ": " + bare(one.sql));
    }
    return all;
}

/// What migrate says against it.
std::string refusal(Database& db, std::span<const sql::Upgrade> upgrades = sql::upgrades()) {
    try {
        migrate(db, upgrades);
    } catch (const Error& error) {
        CHECK(error.code() == Errc::conflict);
        return error.what();
    }
    return "";
}

TEST_CASE("A new ledger is made once, and a newer one is refused", "[service][store]") {
    const test::ScratchFolder folder;
    const auto file = folder.path() / "ledger.db";
    {
        Database db = Database::open_writer(file);
        CHECK(schema_version(db) == 0);
        CHECK(migrate(db) >= sql::first_version);
        CHECK(schema_version(db) >= sql::first_version);
        CHECK(migrate(db) == 0);
        CHECK(db.find<std::string>("PRAGMA journal_mode") == "wal");
        CHECK(db.find<int>("PRAGMA synchronous") == 2);
        db.execute_script("PRAGMA user_version = 9999");
    }
    Database db = Database::open_writer(file);
    CHECK_THAT(refusal(db), Catch::Contains("9999") && Catch::Contains("newer Vigil"));
}

TEST_CASE("A ledger begins with its clock and a key of its own", "[service][store]") {
    Database one = Database::open_writer(":memory:");
    Database other = Database::open_writer(":memory:");
    migrate(one);
    migrate(other);
    int filled = 0;
    for (const auto& table : one.all<std::string>(
             "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")) {
        if (one.has("SELECT 1 FROM " + table)) ++filled;
    }
    CHECK(filled == 2);
    CHECK(one.find<std::int64_t>("SELECT steady_s FROM clock") > 0);
    const std::string key = "SELECT key FROM marker_key";
    CHECK(one.find<std::string>(key) != other.find<std::string>(key));
}

// Whoever adds an upgrade changes the files of schema/sql/ledger too: both lead to one schema.
TEST_CASE("The last patch and all upgrades lead to a new ledger's schema", "[service][store]") {
    Database upgraded = ledger_at_last_patch();
    Database fresh = Database::open_writer(":memory:");
    CHECK(migrate(upgraded) == 1 + static_cast<int>(sql::upgrades().size()));
    migrate(fresh);
    CHECK(schema_of(upgraded) == schema_of(fresh));
    CHECK(schema_version(upgraded) == schema_version(fresh));
}

TEST_CASE("Whatever tells two schemas apart is seen", "[service][store]") {
    for (const auto* change :
         {"ALTER TABLE project ADD COLUMN note TEXT",
          "DROP INDEX job_rare; CREATE INDEX job_rare ON job(id, state) WHERE state <> 'done'",
          "DROP INDEX job_rare; CREATE INDEX job_rare ON job(state, id)",
          "DROP TABLE circuit; CREATE TABLE circuit (receiver TEXT PRIMARY KEY, failures INTEGER "
          "NOT NULL CHECK (failures > 0), until_s INTEGER NOT NULL) STRICT, WITHOUT ROWID",
          "DROP TRIGGER event_keeps",
          "DROP VIEW night; CREATE VIEW night AS SELECT * FROM nightly"}) {
        Database db = ledger_at_last_patch();
        const auto schema = schema_of(db);
        db.execute_script(change);
        CAPTURE(change);
        CHECK(schema_of(db) != schema);
    }
    CHECK(bare("a ( b , 'c -- d' )  -- e\n  STRICT") == "a(b,'c -- d')STRICT");
    CHECK(bare("CREATE TABLE \"x\"(a  INTEGER)") == bare("CREATE TABLE x (\n    a INTEGER\n)"));
}

TEST_CASE("A ledger at the last patch becomes the first version as it is", "[service][store]") {
    Database db = ledger_at_last_patch();
    ensure_project(db, "kept", 7);
    const auto before = db.all<std::string>("SELECT sql FROM sqlite_schema WHERE sql <> ''");
    CHECK(migrate(db, {}) == 1);
    CHECK(schema_version(db) == sql::first_version);
    CHECK(db.all<std::string>("SELECT sql FROM sqlite_schema WHERE sql <> ''") == before);
    CHECK(find_project(db, "kept").has_value());
    CHECK(migrate(db, {}) == 0);
}

TEST_CASE("An older ledger is told which build to start once", "[service][store]") {
    for (const int version : {0, 1, sql::last_patch - 1, sql::first_version - 1}) {
        Database db = Database::open_writer(":memory:");
        db.execute_script(
            "CREATE TABLE project (id INTEGER PRIMARY KEY); PRAGMA user_version = " +
            std::to_string(version));
        CHECK_THAT(
            refusal(db),
            Catch::Contains("schema version " + std::to_string(version) + ",") &&
                Catch::Contains(
                    "install the last build of schema version " + std::to_string(sql::last_patch) +
                    ", start it once, and then this one"));
        CHECK(schema_version(db) == version);
    }
}

TEST_CASE("What was built of trees without their submodules is built anew", "[service][store]") {
    Database db = ledger_at_last_patch();
    ensure_project(db, "toy", 1);
    db.execute_script(R"sql(
INSERT INTO build(id, project_id, revision, input_kind, input_digest, created_at_s) VALUES
    (1, 1, 'a', 'source_tree', NULL, 1), (2, 1, 'b', 'source_tree', 'y', 1),
    (3, 1, 'c', 'archive', 'z', 1);
INSERT INTO product(build_id, recipe_digest, toolchain, state, digest, duration_ns, created_at_s)
    VALUES (1, 'r', 't', 'built', 'p', 1, 1), (2, 'r', 't', 'built', 'q', 1, 1),
    (3, 'r', 't', 'built', 's', 1, 1);
)sql");
    migrate(db);
    CHECK(db.all<int>("SELECT build_id FROM product ORDER BY 1") == std::vector<int>{2, 3});
}

TEST_CASE(
    "Words that nothing writes are refused, and rows that hold others stay", "[service][store]") {
    Database db = ledger_at_last_patch();
    ensure_project(db, "toy", 1);
    db.execute_script(R"sql(
INSERT INTO build(id, project_id, revision, input_kind, created_at_s)
    VALUES (1, 1, 'a', 'archive', 1);
INSERT INTO nightly(id, project_id, build_id, version, day, revision, state, created_at_s)
    VALUES (1, 1, 1, 'v', '2026-11-20', 'a', 'done', 1);
INSERT INTO regression(id, project_id, nightly_id, state, good_build_id, bad_build_id, created_at_s,
    changed_at_s) VALUES (1, 1, 1, 'reported', 1, 1, 1, 1);
INSERT INTO mute(project_id, regression_id, owner, reason, token, since_s, until_s)
    VALUES (1, 1, 'ada', 'r', 't', 1, 2);
INSERT INTO artifact(project_id, version, url, state, created_at_s)
    VALUES (1, 'v', 'u', 'refused', 1);
)sql");
    const auto become = [&](const std::string& state) {
        db.execute("UPDATE regression SET state = ?1", state);
    };
    CHECK_NOTHROW(become("recovered"));
    become("reported");
    migrate(db);
    CHECK_THROWS(become("recovered"));
    CHECK_THROWS(become("confirmed"));
    CHECK_NOTHROW(become("closed"));
    CHECK_THROWS(db.execute("DELETE FROM regression"));  // the mute refers to it
    CHECK(db.find<std::string>("PRAGMA integrity_check") == "ok");
    CHECK_FALSE(db.has("PRAGMA foreign_key_check"));
}

TEST_CASE("A ledger with other tables than its version has is refused", "[service][store]") {
    Database db = ledger_at_last_patch();
    db.execute_script("ALTER TABLE project ADD COLUMN mine TEXT");
    CHECK_THAT(refusal(db), Catch::Contains("its tables are others"));
    CHECK(schema_version(db) == sql::last_patch);
}

TEST_CASE("Upgrades are taken in order, each whole or not at all", "[service][store]") {
    const std::vector<sql::Upgrade> made_up{
        {sql::first_version + 1,
         "0101_notes.sql",
         "ALTER TABLE project ADD COLUMN note TEXT NOT NULL DEFAULT 'none'; "
         "UPDATE project SET note = 'of before' WHERE id = 1;"},
        {sql::first_version + 2,
         "0102_broken.sql",
         "CREATE TABLE half (id INTEGER PRIMARY KEY) STRICT; INSERT INTO nothing VALUES (1);"}};
    const std::span<const sql::Upgrade> steps(made_up);
    Database db = Database::open_writer(":memory:");
    db.execute_script(last_patch_script());
    db.execute_script("PRAGMA user_version = " + std::to_string(sql::last_patch));
    ensure_project(db, "old", 1);
    CHECK(migrate(db, steps.first(1)) == 2);
    CHECK(schema_version(db) == sql::first_version + 1);
    CHECK(db.find<std::string>("SELECT note FROM project") == "of before");
    CHECK(migrate(db, steps.first(1)) == 0);

    CHECK_THROWS_AS(migrate(db, steps), Error);
    CHECK(schema_version(db) == sql::first_version + 1);
    CHECK_FALSE(db.has("SELECT 1 FROM sqlite_schema WHERE name = 'half'"));
    // The program of before refuses what a newer one made of it.
    CHECK_THAT(refusal(db, {}), Catch::Contains("newer Vigil"));
}

}  // namespace
}  // namespace vigil::service
