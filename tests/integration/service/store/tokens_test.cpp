#include "service/store/tokens.hpp"

#include <catch2/catch.hpp>

#include "schema/wire/digest.hpp"
#include "service/store/migrate.hpp"
#include "service/store/workers.hpp"

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

TEST_CASE("A worker that misses what its class demands is quarantined", "[service][store]") {
    const MachineClassConfig wanted{
        .cpu_model = "Xeon",
        .min_memory_bytes = 100,
        .gpu = "H200",
        .labels = {{"rack", "a"}},
        .environment = {}};
    Fingerprint shown;
    shown.cpu_model = "Intel Xeon 8480";
    shown.memory_bytes = 100;
    shown.gpus = {"T4, 550", "NVIDIA H200, 550"};
    shown.labels = {{"rack", "a"}, {"more", "x"}};
    CHECK_FALSE(why_unfit(wanted, shown).has_value());
    auto other = shown;
    other.cpu_model = "EPYC";
    CHECK_THAT(*why_unfit(wanted, other), Catch::Contains("EPYC"));
    other = shown;
    other.memory_bytes = 99;
    CHECK_THAT(*why_unfit(wanted, other), Catch::Contains("memory"));
    other = shown;
    other.gpus.pop_back();
    CHECK_THAT(*why_unfit(wanted, other), Catch::Contains("H200"));
    other = shown;
    other.labels["rack"] = "b";
    CHECK_THAT(*why_unfit(wanted, other), Catch::Contains("rack"));
    CHECK_FALSE(why_unfit({}, {}).has_value());
}

TEST_CASE("A worker's change of state is told once", "[service][store]") {
    Ledger ledger;
    Config config;
    config.machine_classes["cpu"].cpu_model = "Xeon";
    config.workers["one"].machine_class = "cpu";
    Fingerprint shown;
    shown.cpu_model = "Xeon";
    const auto state = [&] {
        return ledger.db.find<std::string>("SELECT state FROM worker WHERE name = 'one'");
    };
    const auto worker = upsert_worker(ledger.db, config, "one", shown, false, 5);
    CHECK(upsert_worker(ledger.db, config, "one", shown, false, 6) == worker);
    CHECK(find_worker(ledger.db, "one") == worker);
    CHECK(state() == "active");
    upsert_worker(ledger.db, config, "one", shown, true, 7);
    CHECK(state() == "draining");
    shown.cpu_model = "EPYC";
    upsert_worker(ledger.db, config, "one", shown, false, 8);
    CHECK(state() == "quarantined");
    CHECK(
        ledger.db.find<int>("SELECT count(*) FROM event WHERE kind LIKE 'worker.%'").value() == 3);
    CHECK(ledger.db.find<std::int64_t>("SELECT last_seen_at_s FROM worker").value() == 8);
}

TEST_CASE("A held worker stays quarantined until it is released", "[service][store]") {
    Ledger ledger;
    Config config;
    config.machine_classes["cpu"] = {};
    config.workers["one"].machine_class = "cpu";
    const auto state = [&] {
        return ledger.db.find<std::string>("SELECT state FROM worker WHERE name = 'one'");
    };
    const auto worker = upsert_worker(ledger.db, config, "one", {}, false, 5);
    CHECK_THROWS_AS(release_worker(ledger.db, "one", 6), Error);
    hold_worker(ledger.db, worker, "it alone moved", 7);
    CHECK(state() == "quarantined");
    upsert_worker(ledger.db, config, "one", {}, false, 8);
    CHECK(state() == "quarantined");
    CHECK(ledger.db.find<std::string>("SELECT reason FROM worker").value() == "it alone moved");
    release_worker(ledger.db, "one", 9);
    CHECK(state() == "active");
    upsert_worker(ledger.db, config, "one", {}, false, 10);
    CHECK(state() == "active");
    CHECK_THROWS_AS(release_worker(ledger.db, "nobody", 11), Error);
}

}  // namespace
}  // namespace vigil::service
