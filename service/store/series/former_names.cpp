#include "service/store/series/former_names.hpp"

namespace vigil::service {

bool has_former_series(Database& db, ProjectId project) {
    return db.has(
        "SELECT 1 FROM former_series f CROSS JOIN series s ON s.id = f.series_id "
        "WHERE s.project_id = ?1 LIMIT 1",
        project);
}

std::vector<SeriesId> list_former_series(
    Database& db, ProjectId project, const ClassVariant& variant) {
    return db.all<SeriesId>(
        "SELECT s.id FROM series s CROSS JOIN former_series f ON f.series_id = s.id "
        "WHERE s.project_id = ?1 AND s.benchmark = ?2 AND s.variant = ?3 "
        "AND s.machine_class_id = ?4 ORDER BY s.id",
        project,
        variant);
}

std::vector<NightRuns> list_night_runs(Database& db, SeriesId series, int limit) {
    return db.all<NightRuns>(
        "SELECT COUNT(*), MIN(median), MAX(median) FROM night_value WHERE series_id = ?1 "
        "GROUP BY nightly_id ORDER BY nightly_id DESC LIMIT ?2",
        series,
        limit);
}

void settle_series(Database& db, SeriesId series) {
    db.execute("DELETE FROM former_series WHERE series_id = ?1", series);
}

bool rename_series(Database& db, SeriesId series, const std::string& benchmark) {
    const bool is_taken = db.has(
        "SELECT 1 FROM series s JOIN series o ON o.project_id = s.project_id "
        "AND o.benchmark = ?2 AND o.variant = s.variant "
        "AND o.machine_class_id = s.machine_class_id AND o.metric = s.metric "
        "AND o.definition = s.definition WHERE s.id = ?1",
        series,
        benchmark);
    if (is_taken) return false;
    db.execute("UPDATE series SET benchmark = ?2 WHERE id = ?1", series, benchmark);
    db.execute(
        "UPDATE run SET benchmark = ?2 WHERE id IN (SELECT run_id FROM measurement "
        "WHERE series_id = ?1 UNION ALL SELECT run_id FROM unjudged_measurement "
        "WHERE series_id = ?1)",
        series,
        benchmark);
    return true;
}

}  // namespace vigil::service
