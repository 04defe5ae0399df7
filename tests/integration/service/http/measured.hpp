#pragma once

#include <string>
#include <vector>

#include "service/store/database.hpp"
#include "service/store/json_columns.hpp"
#include "service/store/series/series.hpp"
#include "tests/integration/service/http/seed.hpp"

// A ledger with nights that were measured.

namespace vigil::service::testing {

/// Adds a night of the project "demo" for each of `values`, in which one run of the benchmark and
/// variant measured that value of cpu_time_ns; below 0: its run had this outcome instead.
struct MeasuredVariant {
    std::string benchmark;
    std::string variant;
    std::vector<double> values;
    std::string outcome = "failed";
};

inline void add_measured_nights(Database& db, const std::vector<MeasuredVariant>& variants) {
    const auto project = ensure_project(db, "demo", 100);
    const auto machine_class = ensure_machine_class(db, "small");
    db.execute(
        "INSERT OR IGNORE INTO worker (id, name, machine_class_id, state, fingerprint, toolchain,"
        " first_seen_at_s, last_seen_at_s) VALUES (70, 'worker-m', ?1, 'active', '{}', '', 1, 1)",
        machine_class);
    for (int i = 0; i < 2; ++i) {
        db.execute(
            "INSERT OR IGNORE INTO environment (id, digest, facts) VALUES (?1, ?2, ?3)",
            70 + i,
            hash_of(static_cast<char>('6' + i), 64),
            std::string(R"({"kernel":"6.)") + std::to_string(i) + R"(","governor":"performance"})");
    }
    const auto nights = variants.at(0).values.size();
    for (std::size_t i = 0; i < nights; ++i) {
        const auto day = std::to_string(i % 28 + 1);
        const auto number = std::to_string(i);
        const auto revision = std::string(40 - number.size(), 'e') + number;
        db.execute(
            "INSERT INTO build (project_id, revision, input_kind, input_digest, created_at_s)"
            " VALUES (?1, ?2, 'archive', ?2, ?3)",
            project,
            revision,
            1'000'000 + static_cast<std::int64_t>(i) * 86400);
        const auto build = db.last_insert_id();
        db.execute(
            "INSERT INTO nightly (project_id, build_id, version, day, revision, state,"
            " created_at_s, ended_at_s, compared_series) VALUES (?1, ?2, ?3, ?4, ?5, 'done', ?6,"
            " ?6, 1)",
            project,
            build,
            "m" + number,
            "2025-0" + std::to_string(i / 28 + 1) + (day.size() < 2 ? "-0" : "-") + day,
            revision,
            1'000'000 + static_cast<std::int64_t>(i) * 86400);
        const auto night = db.last_insert_id();
        db.execute(
            "INSERT INTO job (project_id, machine_class_id, purpose, state, priority, nightly_id,"
            " plan, attempt, created_at_s, ended_at_s) VALUES (?1, ?2, 'nightly', 'done', 1, ?3,"
            " ?4, 1, 100, 200)",
            project,
            machine_class,
            night,
            small_plan());
        const auto job = db.last_insert_id();
        int step = 0;
        for (const auto& one : variants) {
            const double value = one.values.at(i);
            db.execute(
                "INSERT INTO run (job_id, attempt, step, build_id, benchmark, variant,"
                " machine_class_id, worker_id, environment_id, outcome, message, started_at_ns,"
                " duration_ns) VALUES (?1, 1, ?2, ?3, ?4, ?5, ?6, 70, ?7, ?8, 'said', 1, 2)",
                job,
                step++,
                build,
                one.benchmark,
                one.variant,
                machine_class,
                i < nights / 2 ? 70 : 71,
                value < 0 ? one.outcome : std::string("passed"));
            const auto run = db.last_insert_id();
            if (value < 0) continue;
            const auto series = ensure_series(
                db,
                {project,
                 one.benchmark,
                 one.variant,
                 machine_class,
                 Metric::cpu_time_ns,
                 "ns",
                 Direction::lower_is_better});
            const double samples[] = {value * 0.99, value, value * 1.01};
            const auto bytes = std::as_bytes(std::span(samples));
            db.execute(
                "INSERT INTO measurement (run_id, series_id, median, spread, count, samples)"
                " VALUES (?1, ?2, ?3, ?4, 3, ?5)",
                run,
                series,
                value,
                value * 0.01,
                Bytes(bytes.begin(), bytes.end()));
        }
    }
}

/// Values at two levels with a little noise that repeats.
inline std::vector<double> stepped(
    std::size_t nights, std::size_t step, double base, double after) {
    std::vector<double> values;
    for (std::size_t i = 0; i < nights; ++i) {
        const double wobble = 1 + 0.004 * static_cast<double>(static_cast<int>(i * 7 % 5) - 2);
        values.push_back((i < step ? base : after) * wobble);
    }
    return values;
}

}  // namespace vigil::service::testing
