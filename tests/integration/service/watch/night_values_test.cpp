#include <catch2/catch.hpp>

#include "service/store/migrate.hpp"
#include "service/store/series/precision.hpp"
#include "service/store/series/values.hpp"

// What nights measured, as it is kept by series.

using namespace vigil;
using namespace vigil::service;

namespace {

constexpr const char* two_nights = R"sql(
INSERT INTO project VALUES (1, 'tensorlab', 1000);
INSERT INTO machine_class VALUES (1, 'small');
INSERT INTO worker(id, name, machine_class_id, state, fingerprint, toolchain, first_seen_at_s,
    last_seen_at_s) VALUES (1, 'one', 1, 'active', '{}', '', 1, 1);
INSERT INTO series(id, project_id, benchmark, variant, machine_class_id, metric, definition, unit,
    direction) VALUES (1, 1, 'sum', 'train', 1, 'cpu_time_ns', 1, 'ns', 'lower_is_better');
INSERT INTO build(id, project_id, revision, input_kind, created_at_s) VALUES
    (1, 1, 'a', 'source_tree', 1000), (2, 1, 'b', 'source_tree', 1000);
INSERT INTO nightly(id, project_id, build_id, version, day, revision, state, created_at_s) VALUES
    (1, 1, 1, 'n1', '2026-11-19', 'a', 'done', 1000), (2, 1, 2, 'n2', '2026-11-20', 'b', 'done', 1);
)sql";

// The first job lost an attempt, which had sent runs; the third is no night's own.
constexpr const char* their_runs = R"sql(
INSERT INTO job(id, project_id, machine_class_id, purpose, state, priority, nightly_id, plan,
    attempt, created_at_s) VALUES (1, 1, 1, 'nightly', 'done', 1, 1, '{}', 2, 1),
    (2, 1, 1, 'nightly', 'done', 1, 2, '{}', 1, 1), (3, 1, 1, 'confirm', 'done', 1, 2, '{}', 1, 1);
INSERT INTO run(id, job_id, attempt, step, build_id, benchmark, variant, machine_class_id,
    worker_id, outcome, started_at_ns, duration_ns) VALUES
    (1, 1, 1, 0, 1, 'sum', 'train', 1, 1, 'passed', 1, 1),
    (2, 1, 2, 0, 1, 'sum', 'train', 1, 1, 'passed', 1, 1),
    (3, 1, 2, 1, 1, 'sum', 'train', 1, 1, 'passed', 1, 1),
    (4, 2, 1, 0, 2, 'sum', 'train', 1, 1, 'passed', 1, 1),
    (5, 2, 1, 1, 2, 'sum', 'train', 1, 1, 'wrong', 1, 1),
    (6, 3, 1, 0, 2, 'sum', 'train', 1, 1, 'passed', 1, 1),
    (7, 2, 1, 2, 2, 'sum', 'train', 1, 1, 'passed', 1, 1);
INSERT INTO measurement VALUES (1, 1, 11, 0, 1, x'00'), (2, 1, 12, 0, 1, x'00'),
    (3, 1, 14, 0, 1, x'00'), (4, 1, 20, 0, 1, x'00'), (5, 1, 30, 0, 1, x'00'),
    (6, 1, 40, 0, 1, x'00'), (7, 1, 1e70, 0, 1, x'00');
)sql";

std::vector<std::vector<double>> kept_by_series(Database& db) {
    std::vector<std::vector<double>> runs;
    for (const auto& night : load_history(db, SeriesId{1}, NightlyId{9}, 10)) {
        runs.push_back(night.runs);
    }
    return runs;
}

const std::vector<std::vector<double>> own_runs{{12, 14}, {20}};

}  // namespace

TEST_CASE("A night's values are those of its own runs that count", "[service][watch]") {
    Database db = Database::open_writer(":memory:");
    migrate(db);
    db.execute_script(two_nights);
    db.execute_script(their_runs);
    CHECK(kept_by_series(db) == own_runs);
    CHECK(load_history(db, SeriesId{1}, NightlyId{9}, 1).size() == 1);
    db.execute("DELETE FROM measurement WHERE run_id = 3");
    CHECK(kept_by_series(db) == std::vector<std::vector<double>>{{12}, {20}});
    db.execute("UPDATE job SET attempt = 3 WHERE id = 1");
    CHECK(kept_by_series(db) == std::vector<std::vector<double>>{{20}});
}
