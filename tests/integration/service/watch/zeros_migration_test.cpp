#include <catch2/catch.hpp>

#include "schema/sql/migrations.hpp"
#include "service/store/migrate.hpp"

// A ledger in which 0 was no value, and every direction a guess.

using namespace vigil;
using namespace vigil::service;

TEST_CASE("Zeros that were set aside become history", "[service][watch]") {
    constexpr int before_zeros = 51;
    Database db = Database::open_writer(":memory:");
    for (const auto& migration : sql::migrations()) {
        if (migration.version <= before_zeros) db.execute_script(migration.sql);
    }
    db.execute_script("PRAGMA user_version = " + std::to_string(before_zeros));
    db.execute_script(R"sql(
INSERT INTO project VALUES (1, 'tensorlab', 1000);
INSERT INTO machine_class(id, name) VALUES (1, 'box');
INSERT INTO worker(id, name, machine_class_id, state, fingerprint, toolchain, first_seen_at_s,
    last_seen_at_s) VALUES (1, 'one', 1, 'active', '{}', '', 1, 1);
INSERT INTO build(id, project_id, revision, input_kind, created_at_s)
    VALUES (1, 1, hex(zeroblob(20)), 'source_tree', 1000);
INSERT INTO nightly(id, project_id, build_id, version, day, revision, state, created_at_s)
    VALUES (1, 1, 1, 'v', '2026-11-19', hex(zeroblob(20)), 'done', 1000);
INSERT INTO job(id, project_id, machine_class_id, purpose, state, nightly_id, plan, priority,
    attempt, created_at_s) VALUES (1, 1, 1, 'nightly', 'done', 1, '{}', 1, 1, 1000);
INSERT INTO series(id, project_id, benchmark, variant, machine_class_id, metric, definition, unit,
    direction) VALUES
    (1, 1, 'parse', 'allocs/op', 1, 'reported_value', 1, 'allocs/op', 'lower_is_better'),
    (2, 1, 'parse', 'MB/s', 1, 'reported_value', 1, 'MB/s', 'higher_is_better'),
    (3, 1, 'parse', 'default', 1, 'wall_time_ns', 1, 'ns', 'lower_is_better');
INSERT INTO run(id, job_id, attempt, machine_class_id, worker_id, build_id, benchmark, variant,
    step, outcome, message, started_at_ns, duration_ns)
    VALUES (1, 1, 1, 1, 1, 1, 'parse', 'allocs/op', 0, 'passed', '', 0, 0);
INSERT INTO unjudged_measurement(run_id, series_id, reason, count, samples) VALUES
    (1, 1, 'its value is 0; only values from 1e-60 to 1e+60 can be compared', 1, zeroblob(8)),
    (1, 2, 'its value is 0; only values from 1e-60 to 1e+60 can be compared', 1, zeroblob(8)),
    (1, 3, 'its value is 0; only values from 1e-60 to 1e+60 can be compared', 1, zeroblob(8));
)sql");
    CHECK(migrate(db) > 0);
    CHECK(db.find<int>("SELECT count(*) FROM unjudged_measurement") == 2);
    CHECK(db.find<int>("SELECT series_id FROM measurement WHERE median = 0") == 1);
    CHECK(db.find<int>("SELECT count(*) FROM night_value WHERE series_id = 1") == 1);
    CHECK(db.find<int>("SELECT count(*) FROM judged_measurement") == 1);
    CHECK(db.find<int>("SELECT series_id FROM stale_record") == 1);
    CHECK(db.find<int>("SELECT count(*) FROM series WHERE told = direction") == 3);
    CHECK(db.find<int>("SELECT count(*) FROM series WHERE judging = 'as_metric'") == 3);
}
