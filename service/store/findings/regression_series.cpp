#include "service/store/findings/regression_series.hpp"

#include "service/store/json_columns.hpp"

namespace vigil::service {

std::vector<HeldSeries> list_held_series(Database& db, RegressionId regression) {
    return db.all<HeldSeries>(
        "SELECT series_id, recovered_nightly_id FROM regression_series WHERE regression_id = ?1 "
        "ORDER BY series_id",
        regression);
}

std::optional<MeasuredChange> find_change(Database& db, RegressionId regression, SeriesId series) {
    return db.first<MeasuredChange>(
        "SELECT u.nightly_id, u.kind = 'outcome', u.base, s.direction, u.confirmed, x.verified "
        "FROM regression_series x JOIN suspicion u ON u.id = x.suspicion_id "
        "JOIN series s ON s.id = x.series_id WHERE x.regression_id = ?1 AND x.series_id = ?2",
        regression,
        series);
}

bool has_verified(Database& db, RegressionId regression) {
    return db.has(
        "SELECT 1 FROM regression_series WHERE regression_id = ?1 AND verified <> '{}' LIMIT 1",
        regression);
}

std::vector<OpenChange> list_open_changes(Database& db, SeriesId series) {
    return db.all<OpenChange>(
        "SELECT g.id, u.good_nightly_id, u.base, s.direction FROM regression_series x "
        "JOIN regression g ON g.id = x.regression_id AND g.state IN "
        "('searching', 'attributed', 'range', 'reported', 'acknowledged') "
        "JOIN suspicion u ON u.id = x.suspicion_id JOIN series s ON s.id = x.series_id "
        "WHERE x.series_id = ?1 AND x.recovered_nightly_id IS NULL ORDER BY g.id",
        series);
}

std::vector<OpenLevel> list_open_levels(Database& db, ProjectId project) {
    return db.all<OpenLevel>(
        "SELECT x.series_id, g.id, u.good_nightly_id, u.base, s.direction, u.confirmed "
        "FROM regression g JOIN regression_series x ON x.regression_id = g.id "
        "AND x.recovered_nightly_id IS NULL JOIN suspicion u ON u.id = x.suspicion_id "
        "AND u.kind = 'level' JOIN series s ON s.id = x.series_id WHERE g.project_id = ?1 "
        "AND g.state IN ('searching', 'attributed', 'range', 'reported', 'acknowledged') "
        "ORDER BY g.id",
        project);
}

std::vector<OpenSeries> list_running_again(Database& db, NightlyId nightly) {
    return db.all<OpenSeries>(
        "SELECT x.regression_id, x.series_id FROM nightly n JOIN regression g "
        "ON g.project_id = n.project_id AND g.nightly_id < n.id JOIN regression_series x "
        "ON x.regression_id = g.id AND x.recovered_nightly_id IS NULL JOIN suspicion u "
        "ON u.id = x.suspicion_id AND u.kind = 'outcome' JOIN series s ON s.id = x.series_id "
        "CROSS JOIN run r ON r.build_id = n.build_id AND r.benchmark = s.benchmark "
        "AND r.variant = s.variant AND r.machine_class_id = s.machine_class_id "
        "CROSS JOIN job j ON j.id = r.job_id AND j.attempt = r.attempt AND j.nightly_id = n.id "
        "AND j.purpose = 'nightly' WHERE n.id = ?1 AND g.state IN "
        "('searching', 'attributed', 'range', 'reported', 'acknowledged') "
        "GROUP BY x.regression_id, x.series_id HAVING SUM(r.outcome = 'passed') > 0 "
        "AND SUM(r.outcome NOT IN ('passed', 'unsupported')) = 0",
        nightly);
}

void add_series(Database& db, RegressionId regression, SeriesId series, SuspicionId suspicion) {
    db.execute(
        "INSERT INTO regression_series(regression_id, series_id, suspicion_id) "
        "VALUES (?1, ?2, ?3)",
        regression,
        series,
        suspicion);
}

void copy_series(Database& db, RegressionId from, RegressionId to, SeriesId series) {
    db.execute(
        "INSERT INTO regression_series(regression_id, series_id, suspicion_id, "
        "recovered_nightly_id, verified) SELECT ?2, series_id, suspicion_id, "
        "recovered_nightly_id, verified FROM regression_series "
        "WHERE regression_id = ?1 AND series_id = ?3",
        from,
        to,
        series);
}

void remove_series(Database& db, RegressionId regression, SeriesId series) {
    db.execute(
        "DELETE FROM regression_series WHERE regression_id = ?1 AND series_id = ?2",
        regression,
        series);
}

int join_series(Database& db, RegressionId from, RegressionId to) {
    db.execute(
        "UPDATE regression_series SET recovered_nightly_id = NULL WHERE regression_id = ?2 "
        "AND series_id IN (SELECT series_id FROM regression_series WHERE regression_id = ?1)",
        from,
        to);
    const auto joined = db.execute(
        "UPDATE OR IGNORE regression_series SET regression_id = ?2 WHERE regression_id = ?1",
        from,
        to);
    db.execute("DELETE FROM regression_series WHERE regression_id = ?1", from);
    return static_cast<int>(joined);
}

void note_verified(
    Database& db, RegressionId regression, SeriesId series, const Comparison& verified) {
    db.execute(
        "UPDATE regression_series SET verified = ?3 WHERE regression_id = ?1 AND series_id = ?2",
        regression,
        series,
        verified.runs_after > 0 ? verified : Comparison{});
}

void note_recovered(Database& db, RegressionId regression, SeriesId series, NightlyId nightly) {
    db.execute(
        "UPDATE regression_series SET recovered_nightly_id = ?3 "
        "WHERE regression_id = ?1 AND series_id = ?2",
        regression,
        series,
        nightly);
}

}  // namespace vigil::service
