#include "service/store/work/night_runs.hpp"

namespace vigil::service {

bool has_values(Database& db, NightlyId nightly) {
    return db
        .find<int>(
            "SELECT 1 FROM job j JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt "
            "JOIN measurement m ON m.run_id = r.id WHERE j.nightly_id = ?1 "
            "AND j.purpose = 'nightly' LIMIT 1",
            nightly)
        .has_value();
}

bool has_runs_of(Database& db, NightlyId nightly, WorkerId worker) {
    return db
        .find<int>(
            "SELECT 1 FROM job j JOIN run r ON r.job_id = j.id WHERE j.nightly_id = ?1 "
            "AND j.purpose = 'nightly' AND r.worker_id = ?2 LIMIT 1",
            nightly,
            worker)
        .has_value();
}

std::set<ClassVariant> list_passed_variants(Database& db, NightlyId nightly) {
    std::set<ClassVariant> passed;
    auto rows = db.query(
        "SELECT DISTINCT r.benchmark, r.variant, r.machine_class_id FROM job j "
        "JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt WHERE j.nightly_id = ?1 "
        "AND j.purpose = 'nightly' AND r.outcome = 'passed'",
        nightly);
    while (rows.next()) {
        passed.insert(
            {rows.get<std::string>(0), rows.get<std::string>(1), rows.get<MachineClassId>(2)});
    }
    return passed;
}

std::vector<SilentVariant> list_silent_variants(Database& db, NightlyId nightly) {
    std::vector<SilentVariant> silent;
    auto rows = db.query(
        "SELECT r.benchmark, r.variant, r.machine_class_id, MAX(r.outcome), MAX(r.message) "
        "FROM job j JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt "
        "WHERE j.nightly_id = ?1 AND j.purpose = 'nightly' AND NOT EXISTS (SELECT 1 FROM left_out "
        "o WHERE o.nightly_id = ?1 AND o.worker_id IN (0, r.worker_id)) "
        "GROUP BY 1, 2, 3 "
        "HAVING SUM(r.outcome = 'passed') = 0 AND SUM(r.outcome <> 'unsupported') > 0",
        nightly);
    while (rows.next()) {
        silent.push_back(
            {{rows.get<std::string>(0), rows.get<std::string>(1), rows.get<MachineClassId>(2)},
             rows.get<std::string>(3),
             rows.get<std::string>(4)});
    }
    return silent;
}

std::vector<UnjudgedValue> list_unjudged_values(Database& db, NightlyId nightly) {
    std::vector<UnjudgedValue> unjudged;
    auto rows = db.query(
        "WITH mine AS (SELECT r.id FROM job j JOIN run r ON r.job_id = j.id "
        "AND r.attempt = j.attempt WHERE j.nightly_id = ?1 AND j.purpose = 'nightly') "
        "SELECT u.series_id, u.reason FROM mine CROSS JOIN unjudged_measurement u "
        "ON u.run_id = mine.id UNION ALL SELECT m.series_id, 'its value is ' || m.median FROM mine "
        "CROSS JOIN measurement m ON m.run_id = mine.id WHERE NOT EXISTS (SELECT 1 FROM "
        "judged_measurement v WHERE v.run_id = m.run_id AND v.series_id = m.series_id) "
        "ORDER BY 1",
        nightly);
    while (rows.next()) unjudged.push_back({rows.get<SeriesId>(0), rows.get<std::string>(1)});
    return unjudged;
}

std::optional<std::string> find_unjudged_reason(Database& db, NightlyId nightly) {
    return db.find<std::string>(
        "SELECT u.reason FROM job j JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt "
        "JOIN unjudged_measurement u ON u.run_id = r.id WHERE j.nightly_id = ?1 "
        "AND j.purpose = 'nightly' LIMIT 1",
        nightly);
}

}  // namespace vigil::service
