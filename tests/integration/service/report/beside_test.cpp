#include <catch2/catch.hpp>

#include "service/report/facts/regression_facts.hpp"
#include "tests/integration/service/report/ledger.hpp"

using namespace vigil;
using namespace vigil::service;

TEST_CASE("What a session's runs say of themselves is compared by side", "[service][report]") {
    Ledger ledger;
    const auto facts = [&] {
        return load_regression_facts(ledger.db, RegressionId{1}, ledger.config).beside;
    };
    CHECK(facts().empty());
    for (int step = 0; step < 8; ++step) {
        ledger.db.execute(
            "INSERT INTO run (id, job_id, attempt, machine_class_id, worker_id, build_id, "
            "benchmark, variant, step, outcome, message, started_at_ns, duration_ns) "
            "VALUES (?1, 3, 1, 1, 1, ?2, 'mlp', 'train', ?3, 'passed', '', 1, 1)",
            900 + step,
            1 + step % 2,
            2 + step);
        ledger.db.execute(
            "INSERT INTO run_fact(run_id, name, value) VALUES (?1, 'major_faults', ?2), "
            "(?1, 'minor_faults', 500), (?1, 'throughput', ?2)",
            900 + step,
            step % 2 == 0 ? 0 : 1240 + step);
    }
    const auto found = facts();
    REQUIRE(found.size() == 1);
    CHECK(found[0].benchmark == "mlp");
    REQUIRE(found[0].differences.size() == 1);
    CHECK(found[0].differences[0] == FactDifference{"major_faults", 0, 1244});
}
