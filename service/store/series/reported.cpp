#include "service/store/series/reported.hpp"

#include "service/store/json_columns.hpp"

namespace vigil::service {

std::vector<NightChangeFact> list_night_changes(Database& db, NightlyId nightly) {
    return db.all<NightChangeFact>(
        "SELECT s.shown, s.variant, c.name, s.metric, u.verdict, u.change_ratio, u.waits, "
        "ifnull((SELECT confirmed FROM suspicion WHERE id = u.id), "
        "(SELECT confirmed FROM old_comparison WHERE id = u.id)), "
        "(SELECT iif(count(*) = 1, nullif(max(x.verified), '{}'), NULL) "
        "FROM regression_series x WHERE x.suspicion_id = u.id) FROM every_suspicion u "
        "JOIN series s ON s.id = u.series_id "
        "JOIN machine_class c ON c.id = s.machine_class_id WHERE u.nightly_id = ?1 ORDER BY u.id",
        nightly);
}

std::vector<NightDriftFact> list_night_drifts(Database& db, NightlyId nightly) {
    return db.all<NightDriftFact>(
        "SELECT s.shown, s.variant, c.name, s.metric, d.kind, n.name, d.change_ratio, d.low, "
        "d.high FROM drift d JOIN series s ON s.id = d.series_id "
        "JOIN machine_class c ON c.id = s.machine_class_id "
        "JOIN nightly n ON n.id = d.since_nightly_id WHERE d.nightly_id = ?1 ORDER BY d.id",
        nightly);
}

std::vector<MeasuredMetric> list_measured_metrics(Database& db, NightlyId nightly) {
    return db.all<MeasuredMetric>(
        "SELECT s.metric, s.judging, count(*), sum(NOT EXISTS (SELECT 1 FROM night_value v "
        "JOIN night o ON o.id = v.nightly_id WHERE v.series_id = s.id AND v.nightly_id < ?1 "
        "AND v.run_id < (SELECT max(id) FROM (SELECT t.id FROM job k JOIN run t "
        "ON t.job_id = k.id WHERE k.nightly_id = ?1 AND k.purpose = 'nightly' UNION ALL "
        "SELECT last_run_id FROM rolled_night WHERE nightly_id = ?1)))) "
        "FROM series s WHERE s.id IN (SELECT m.series_id FROM job j "
        "JOIN run r ON r.job_id = j.id JOIN judged_measurement m ON m.run_id = r.id "
        "WHERE j.nightly_id = ?1 AND j.purpose = 'nightly' "
        "UNION SELECT series_id FROM rolled_value WHERE nightly_id = ?1) GROUP BY 1, 2",
        nightly);
}

std::map<Verdict, int> count_verdicts(Database& db, NightlyId nightly, ProjectId project) {
    std::map<Verdict, int> counts;
    auto rows = db.query(
        "SELECT u.verdict, count(*) FROM every_suspicion u JOIN series s ON s.id = u.series_id "
        "WHERE u.nightly_id = ?1 AND s.project_id = ?2 AND u.verdict IS NOT NULL GROUP BY 1",
        nightly,
        project);
    while (rows.next()) counts[rows.get<Verdict>(0)] = rows.get<int>(1);
    return counts;
}

std::vector<ConsideredSeries> list_considered_series(
    Database& db, NightlyId nightly, RegressionId regression) {
    return db.all<ConsideredSeries>(
        "SELECT s.shown, s.variant, c.name, s.metric, s.judging, "
        "EXISTS (SELECT 1 FROM suspicion u WHERE u.series_id = s.id AND u.nightly_id = ?1) "
        "OR EXISTS (SELECT 1 FROM old_suspicion o WHERE o.series_id = s.id "
        "AND o.nightly_id = ?1) "
        "FROM series s JOIN machine_class c ON c.id = s.machine_class_id WHERE s.id IN "
        "(SELECT m.series_id FROM job j JOIN run r ON r.job_id = j.id "
        "JOIN judged_measurement m ON m.run_id = r.id WHERE j.nightly_id = ?1 AND j.purpose = "
        "'nightly' UNION SELECT series_id FROM rolled_value WHERE nightly_id = ?1) "
        "ORDER BY s.benchmark NOT IN (SELECT x.benchmark FROM regression_series rs "
        "JOIN series x ON x.id = rs.series_id WHERE rs.regression_id = ?2), s.id",
        nightly,
        regression);
}

}  // namespace vigil::service
