#include "service/store/tokens.hpp"

#include <catch2/catch.hpp>

#include "schema/sql/migrations.hpp"
#include "schema/wire/digest.hpp"
#include "service/store/migrate.hpp"

namespace vigil::service {
namespace {

struct Ledger {
    Database db = Database::open_writer(":memory:");
    Ledger() { migrate(db); }
};

TEST_CASE("A token is known by its secret, which is not stored", "[service][store]") {
    Ledger ledger;
    CHECK_FALSE(has_admin_token(ledger.db, 6));
    const auto secret = create_token(ledger.db, "ops", Scope::admin, 5);
    CHECK(has_admin_token(ledger.db, 6));
    CHECK(secret.size() == 64);
    const auto token = find_token(ledger.db, secret);
    REQUIRE(token.has_value());
    CHECK(token->name == "ops");
    CHECK(token->scopes == Scope::admin);
    CHECK_FALSE(find_token(ledger.db, secret + "0").has_value());
    CHECK_FALSE(find_token(ledger.db, "").has_value());
    CHECK(ledger.db.find<std::string>("SELECT hash FROM token") == wire::sha256(secret).str());
}

TEST_CASE("A revoked token is nobody's, and its name is free again", "[service][store]") {
    Ledger ledger;
    const auto first = create_token(ledger.db, "one", Scope::worker, 5);
    CHECK_THROWS_AS(create_token(ledger.db, "one", Scope::worker, 6), Error);
    revoke_token(ledger.db, "one", 7);
    CHECK_FALSE(find_token(ledger.db, first).has_value());
    CHECK_FALSE(revoke_token(ledger.db, "one", 8));
    CHECK_THROWS_AS(revoke_token(ledger.db, "nobody", 8), Error);
    const auto second = create_token(ledger.db, "one", Scope::read, 9);
    CHECK(find_token(ledger.db, second)->scopes == Scope::read);
    CHECK_FALSE(find_token(ledger.db, first).has_value());
}

TEST_CASE("The next token of a name is another one", "[service][store]") {
    Ledger ledger;
    const auto first = find_token(ledger.db, create_token(ledger.db, "one", Scope::read, 5));
    revoke_token(ledger.db, "one", 7);
    const auto second = find_token(ledger.db, create_token(ledger.db, "one", Scope::read, 8, 9));
    const auto third = find_token(ledger.db, create_token(ledger.db, "one", Scope::read, 9));
    CHECK(first->id != second->id);
    CHECK(second->id != third->id);
    CHECK(ledger.db.find<int>("SELECT count(*) FROM token WHERE name = 'one'") == 3);
    CHECK(list_live_tokens(ledger.db, 10).size() == 1);
}

/// A ledger as it was before a migration.
Database ledger_before(int version) {
    Database db = Database::open_writer(":memory:");
    for (const auto& migration : sql::migrations()) {
        if (migration.version < version) db.execute_script(migration.sql);
    }
    db.execute_script("PRAGMA user_version = " + std::to_string(version - 1));
    return db;
}

TEST_CASE("Replies kept by name stay with the token that got them", "[service][store]") {
    constexpr int by_id = 56;
    auto db = ledger_before(by_id);
    db.execute_script(
        "INSERT INTO token(id, name, scope, hash, created_at_s, revoked_at_s)"
        " VALUES (3, 'ada', 'admin', '1', 100, NULL), (4, 'bob', 'read', '2', 100, 200);"
        "INSERT INTO idempotency(key, request_digest, status, body, created_at_s) VALUES"
        " ('ada POST /a b', 'x', 200, 'hers', 100), ('ada POST /a c', 'x', 200, 'of before', 99),"
        " ('bob POST /a b', 'x', 200, 'revoked', 150)");
    migrate(db);
    CHECK(
        db.all<std::string>("SELECT key || ': ' || body FROM idempotency") ==
        std::vector<std::string>{"token/3 POST /a b: hers"});
    CHECK(
        db.all<std::string>("SELECT name || id FROM token ORDER BY id") ==
        std::vector<std::string>{"ada3", "bob4"});
}

TEST_CASE("Tokens of before may do no less", "[service][store]") {
    constexpr int with_scopes = 25;
    auto db = ledger_before(with_scopes);
    db.execute_script(
        "INSERT INTO token(name, scope, hash, created_at_s) VALUES ('r', 'read', '1', 1),"
        " ('w', 'write', '2', 1), ('x', 'worker', '3', 1), ('a', 'admin', '4', 1)");
    migrate(db);
    CHECK(
        db.all<std::string>("SELECT scope FROM token ORDER BY id") ==
        std::vector<std::string>{"read", "read,ingest,trigger,triage", "read,worker", "admin"});
    CHECK(db.all<int>("SELECT 1 FROM token WHERE expires_at_s IS NULL").size() == 4);
}

TEST_CASE("A token that has expired leaves its name to another", "[service][store]") {
    Ledger ledger;
    const auto first = create_token(ledger.db, "ada", Scope::admin, 5, 100);
    CHECK(has_admin_token(ledger.db, 99));
    CHECK_FALSE(has_admin_token(ledger.db, 100));
    CHECK_THROWS_AS(create_token(ledger.db, "ada", Scope::read, 99), Error);
    const auto second = create_token(ledger.db, "ada", {Scope::triage, Scope::read}, 100);
    CHECK_FALSE(find_token(ledger.db, first));
    CHECK(to_string(find_token(ledger.db, second)->scopes) == "read,triage");
    CHECK_THROWS_AS(parse_scopes("read,write"), Error);
    CHECK_THROWS_AS(parse_scopes("read,"), Error);
}

}  // namespace
}  // namespace vigil::service
