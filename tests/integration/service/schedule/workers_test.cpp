#include <catch2/catch.hpp>

#include "service/schedule/worker_state.hpp"
#include "service/store/migrate.hpp"

namespace vigil::service {
namespace {

struct Workers {
    Database db = Database::open_writer(":memory:");
    Workers() { migrate(db); }
};

TEST_CASE("A worker's change of state is told once", "[service][schedule]") {
    Workers ledger;
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

TEST_CASE("A held worker stays quarantined until it is released", "[service][schedule]") {
    Workers ledger;
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
