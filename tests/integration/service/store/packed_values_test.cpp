#include "service/store/series/packed_values.hpp"

#include <string>

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include "service/store/migrate.hpp"

namespace vigil::service {
namespace {

RunValue run_of(std::int64_t night, std::int64_t run, std::int64_t worker, double median) {
    return {NightlyId{night}, run, WorkerId{worker}, std::nullopt, 10, median, 0.25};
}

TEST_CASE("Three runs of a night and worker come into a row", "[service][store]") {
    const auto rows = pack_rows(
        {run_of(2, 21, 1, 1.5),
         run_of(1, 14, 1, 4),
         run_of(1, 13, 1, 3),
         run_of(1, 12, 2, 2),
         run_of(1, 11, 1, 1),
         run_of(1, 15, 1, 5)});
    std::string text;
    for (const auto& row : rows) {
        text += fmt::format("{} {}:", row.front().nightly.value, row.front().worker.value);
        for (const auto& one : row) text += fmt::format(" {}", one.run);
        text += '\n';
    }
    CHECK(text == "1 1: 11 13 14\n1 1: 15\n1 2: 12\n2 1: 21\n");
    CHECK(pack_rows({}).empty());
}

constexpr const char* all_runs =
    "SELECT group_concat(series_id || ' ' || nightly_id || ' ' || run_id || ' ' || median || ' ' "
    "|| spread || ' ' || count, char(10)) FROM (SELECT * FROM night_run ORDER BY 1, 2, 3)";

TEST_CASE("What is packed reads as it did, and nights that have their runs stay", "[service]") {
    Database db = Database::open_writer(":memory:");
    migrate(db);
    db.execute_script("PRAGMA foreign_keys = OFF");
    db.execute_script(
        "INSERT INTO project(id, name, created_at_s) VALUES (1, 'p', 0);"
        "INSERT INTO machine_class(id, name) VALUES (1, 'm');"
        "INSERT INTO series(id, project_id, benchmark, variant, machine_class_id, metric, "
        "definition, unit, direction) VALUES (7, 1, 'b', 'v', 1, 'wall_time_ns', 1, 'ns', "
        "'lower_is_better');");
    for (int night = 1; night <= 40; ++night) {
        db.execute(
            "INSERT INTO nightly(id, project_id, build_id, version, day, revision, state, "
            "created_at_s, name) VALUES (?1, 1, ?1, ?1, '2026-01-01', ?1, 'done', ?1, ?1)",
            night);
        for (int run = 0; run < 3; ++run) {
            db.execute(
                "INSERT INTO night_value(series_id, nightly_id, run_id, worker_id, median, "
                "spread, count) VALUES (7, ?1, ?2, 1, ?3, 0.1, 5)",
                night,
                3 * night + run,
                night + 0.1 * run);
        }
        if (night > 32) continue;
        CHECK_FALSE(find_packing(db).has_value());
        db.execute("INSERT INTO rolled_night(nightly_id, ended_at_s) VALUES (?1, 1)", night);
    }
    const auto before = db.find<std::string>(all_runs);
    for (auto packing = find_packing(db); packing; packing = find_packing(db)) {
        pack_some(db, *packing);
    }
    CHECK(db.find<std::string>(all_runs) == before);
    CHECK(db.find<int>("SELECT count(*) FROM night_value") == 32 + 3 * 8);
    CHECK(db.find<int>("SELECT count(*) FROM rolled_night WHERE packed = 0") == 0);
}

}  // namespace
}  // namespace vigil::service
