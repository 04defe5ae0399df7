#include "service/store/tokens.hpp"

#include <catch2/catch.hpp>

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
