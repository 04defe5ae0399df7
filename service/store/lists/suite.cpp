#include "service/store/lists/suite.hpp"

#include <nlohmann/json.hpp>

#include "service/store/lists/list.hpp"

namespace vigil::service {

std::vector<SuiteSeriesRow> list_suite_series(Database& db, ProjectId project, int limit) {
    return db.all<SuiteSeriesRow>(
        "SELECT s.id, s.benchmark, s.variant, m.name, s.metric, s.unit, s.direction,"
        " s.case_name, s.quantity, s.shown"
        " FROM series s JOIN machine_class m ON m.id = s.machine_class_id"
        " WHERE s.project_id = ?1 ORDER BY s.shown, s.variant, m.name, s.metric, s.definition"
        " LIMIT ?2",
        project,
        limit);
}

std::vector<ChartNightRow> list_suite_nights(
    Database& db, ProjectId project, NightlyId until, int limit) {
    return db.all<ChartNightRow>(
        "SELECT id, name, revision, state, created_at_s FROM night WHERE project_id = ?1"
        " AND id <= ?2 ORDER BY id DESC LIMIT ?3",
        project,
        until,
        limit);
}

std::optional<NightlyId> find_night_of(
    Database& db, ProjectId project, const std::string& revision) {
    return db.find<NightlyId>(
        "SELECT max(id) FROM night WHERE revision = ?2 AND +project_id = ?1"
        " HAVING max(id) IS NOT NULL",
        project,
        revision);
}

std::vector<SuiteRun> list_suite_runs(Database& db, NightlyId nightly) {
    return db.all<SuiteRun>(
        "SELECT v.series_id, v.nightly_id, v.median FROM nightly n"
        " CROSS JOIN series s ON s.project_id = n.project_id"
        " CROSS JOIN night_run v ON v.series_id = s.id AND v.nightly_id = n.id"
        " WHERE n.id = ?1 AND NOT EXISTS (SELECT 1"
        " FROM left_out o WHERE o.nightly_id = ?1 AND o.worker_id IN (0, v.worker_id))"
        " ORDER BY v.run_id",
        nightly);
}

std::vector<SuiteMedian> list_suite_medians(Database& db, NightlyId nightly) {
    return db.all<SuiteMedian>(
        "SELECT s.shown, s.variant, c.name, s.metric, s.unit, v.median FROM nightly n"
        " CROSS JOIN series s ON s.project_id = n.project_id"
        " CROSS JOIN night_run v ON v.series_id = s.id AND v.nightly_id = n.id"
        " JOIN machine_class c ON c.id = s.machine_class_id"
        " WHERE n.id = ?1 AND NOT EXISTS (SELECT 1"
        " FROM left_out o WHERE o.nightly_id = ?1 AND o.worker_id IN (0, v.worker_id))"
        " ORDER BY v.run_id",
        nightly);
}

std::vector<SuiteSaid> list_suite_said(Database& db, NightlyId nightly) {
    return db.all<SuiteSaid>(
        "SELECT r.benchmark, r.variant, c.name, f.name, f.value, f.text FROM job j"
        " CROSS JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt"
        " CROSS JOIN run_fact f ON f.run_id = r.id AND f.name IN ('compile_time_ns',"
        " 'compared.speedup', 'memory_ratio', 'mode', 'device', 'precision', 'backend', 'setting', "
        "'layout', 'batch', 'threads', 'processes')"
        " JOIN machine_class c ON c.id = r.machine_class_id"
        " WHERE j.nightly_id = ?1 AND j.purpose = 'nightly'"
        " AND (f.name NOT IN ('compile_time_ns', 'compared.speedup', 'memory_ratio')"
        " OR (r.outcome = 'passed' AND f.value IS NOT NULL"
        " AND NOT EXISTS (SELECT 1"
        " FROM left_out o WHERE o.nightly_id = ?1 AND o.worker_id IN (0, r.worker_id))))"
        " ORDER BY r.id",
        nightly);
}

std::vector<SuiteOutcome> list_suite_outcomes(Database& db, NightlyId nightly) {
    return db.all<SuiteOutcome>(
        "SELECT x.benchmark, x.variant, c.name, x.outcome, x.message, x.environment_id FROM"
        " (SELECT r.id, r.benchmark, r.variant, r.machine_class_id, r.outcome, r.message,"
        " r.environment_id FROM job j CROSS JOIN run r ON r.job_id = j.id"
        " AND r.attempt = j.attempt WHERE j.nightly_id = ?1 AND j.purpose = 'nightly'"
        " UNION SELECT v.run_id, s.benchmark, s.variant, s.machine_class_id, 'passed', '',"
        " v.environment_id FROM rolled_value v CROSS JOIN series s ON s.id = v.series_id"
        " WHERE v.nightly_id = ?1) x"
        " JOIN machine_class c ON c.id = x.machine_class_id ORDER BY x.id",
        nightly);
}

std::vector<double> list_night_samples(Database& db, SeriesId series, NightlyId nightly) {
    std::vector<double> samples;
    const auto runs = all_rows(db.query(
        "SELECT r.id, m.samples FROM series s CROSS JOIN nightly n ON n.id = ?2"
        " CROSS JOIN run r ON r.build_id = n.build_id AND r.benchmark = s.benchmark"
        " AND r.variant = s.variant AND r.machine_class_id = s.machine_class_id"
        " AND r.outcome = 'passed' CROSS JOIN job j ON j.id = r.job_id AND j.attempt = r.attempt"
        " AND j.nightly_id = n.id AND j.purpose = 'nightly'"
        " CROSS JOIN judged_measurement m ON m.run_id = r.id AND m.series_id = s.id"
        " WHERE s.id = ?1 ORDER BY r.id",
        series,
        nightly));
    for (const auto& run : runs) {
        for (const auto& value : run.at("samples")) samples.push_back(value.get<double>());
    }
    return samples;
}

}  // namespace vigil::service
