// What a list of few rows reads in a ledger of many.

#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "tests/integration/service/http/fixture.hpp"
#include "tests/integration/service/http/seed.hpp"
#include "tests/support/statement_steps.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

namespace {

void seed_run(Service& service) {
    service.change([&](Database& db) {
        add_small_job(db, 'c');
        const auto worker =
            upsert_worker(db, service.config(), "worker-one", small_machine(), false, 100);
        const auto lease = claim_job(db, service.config(), worker, 100);
        const auto result = write_result(small_result(lease->builds.at(0).id));
        finish_job(db, JobConfig{}, lease->job, lease->attempt, worker, result, 101);
        return 0;
    });
}

/// Newer jobs of other builds, each with a run.
void add_later_runs(Service& service, int count) {
    service.change([&](Database& db) {
        db.execute(
            "INSERT INTO build(project_id, revision, input_kind, input_digest, created_at_s)"
            " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)"
            " SELECT 1, printf('%040x', i), 'archive', printf('%064x', i), 100 FROM n",
            count);
        db.execute(
            "INSERT INTO job(project_id, machine_class_id, purpose, state, priority, plan,"
            " created_at_s) SELECT 1, machine_class_id, 'nightly', 'done', build.id, plan, 100"
            " FROM build JOIN job ON job.id = 1 WHERE build.id > 1");
        db.execute(
            "INSERT INTO run(job_id, attempt, step, build_id, benchmark, variant,"
            " machine_class_id, worker_id, outcome, started_at_ns, duration_ns)"
            " SELECT job.id, 1, 0, priority, 'sum', 'train', job.machine_class_id, 1, 'passed',"
            " 1, 1 FROM job WHERE id > 1");
        return 0;
    });
}

/// Steps that SQLite's machine takes for the list itself.
std::int64_t steps_of(Service& service, const std::string& query) {
    const auto taken = [] {
        std::int64_t steps = 0;
        for (const auto& [sql, count] : vigil::tests::statement_steps()) {
            if (sql.find("DESC LIMIT :limit") != std::string::npos) steps += count;
        }
        return steps;
    };
    const auto before = taken();
    const auto found = service.client().send("GET", "/api/v1/" + query);
    CHECK(found.status == 200);
    CHECK(wire::parse_json(found.body, query).at("items").size() == 1);
    return taken() - before;
}

/// Each finds one thing, before and after a thousand others came.
void check_they_stay(Service& service, const std::vector<std::string>& queries) {
    std::vector<std::int64_t> before;
    for (const auto& query : queries) before.push_back(steps_of(service, query));
    add_later_runs(service, 1000);
    for (std::size_t i = 0; i < queries.size(); ++i) {
        INFO(queries[i]);
        CHECK(steps_of(service, queries[i]) < before[i] + 10);  // to see that the next is another's
    }
}

}  // namespace

TEST_CASE("What is found by one thing costs the same in a large ledger", "[service][api]") {
    Service service;
    seed_run(service);
    const std::vector<std::string> queries{
        "runs?job=1",
        "runs?build=1",
        "runs?revision=" + hash_of('c'),
        "builds?revision=" + hash_of('c')};
    check_they_stay(service, queries);
}

TEST_CASE("What few rows are costs the same in a large ledger", "[service][api]") {
    Service service;
    seed_run(service);
    service.change([](Database& db) {
        db.execute("UPDATE run SET outcome = 'failed'");
        return db.execute("UPDATE job SET state = 'failed'");
    });
    check_they_stay(service, {"runs?outcome=failed", "jobs?state=failed"});
}
