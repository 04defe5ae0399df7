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
    CHECK_FALSE(has_admin_token(ledger.db));
    const auto secret = create_token(ledger.db, "ops", Scope::admin, 5);
    CHECK(has_admin_token(ledger.db));
    CHECK(secret.size() == 64);
    const auto token = find_token(ledger.db, secret);
    REQUIRE(token.has_value());
    CHECK(token->name == "ops");
    CHECK(token->scope == Scope::admin);
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
    CHECK(find_token(ledger.db, second)->scope == Scope::read);
    CHECK_FALSE(find_token(ledger.db, first).has_value());
}

}  // namespace
}  // namespace vigil::service
