#include "service/store/series/variants.hpp"

namespace vigil::service {

namespace {

std::vector<SeriesId> read_series_ids(Query rows) {
    std::vector<SeriesId> series;
    while (rows.next()) series.push_back(rows.get<SeriesId>(0));
    return series;
}

}  // namespace

std::vector<SeriesId> list_series(Database& db, ProjectId project, const ClassVariant& variant) {
    return read_series_ids(db.query(
        "SELECT id FROM series WHERE project_id = ?1 AND benchmark = ?2 AND variant = ?3 "
        "AND machine_class_id = ?4",
        project,
        variant.benchmark,
        variant.variant,
        variant.machine_class));
}

std::optional<SeriesId> find_series(
    Database& db, ProjectId project, const ClassVariant& variant, Metric metric) {
    return db.find<SeriesId>(
        "SELECT id FROM series WHERE project_id = ?1 AND benchmark = ?2 AND variant = ?3 "
        "AND machine_class_id = ?4 AND metric = ?5 ORDER BY definition DESC LIMIT 1",
        project,
        variant.benchmark,
        variant.variant,
        variant.machine_class,
        metric);
}

std::vector<SeriesId> list_new_series(Database& db, NightlyId nightly) {
    return read_series_ids(db.query(
        "WITH tonight AS (SELECT DISTINCT m.series_id FROM job j JOIN run r ON r.job_id = j.id "
        "AND r.attempt = j.attempt JOIN measurement m ON m.run_id = r.id "
        "WHERE j.nightly_id = ?1 AND j.purpose = 'nightly') "
        "SELECT s.id FROM series s WHERE s.id IN tonight AND NOT EXISTS (SELECT 1 "
        "FROM measurement m JOIN run o ON o.id = m.run_id JOIN job k ON k.id = o.job_id "
        "LEFT JOIN nightly b ON b.id = k.nightly_id WHERE m.series_id = s.id AND b.beside IS NULL "
        "AND m.run_id < (SELECT MIN(r.id) FROM job j JOIN run r ON r.job_id = j.id "
        "WHERE j.nightly_id = ?1 AND j.purpose = 'nightly')) ORDER BY s.id",
        nightly));
}

std::vector<SeriesId> list_gone_series(Database& db, NightlyId measured, NightlyId not_measured) {
    return read_series_ids(db.query(
        "WITH tonight AS (SELECT DISTINCT m.series_id FROM job j JOIN run r ON r.job_id = j.id "
        "AND r.attempt = j.attempt JOIN measurement m ON m.run_id = r.id "
        "WHERE j.nightly_id = ?2 AND j.purpose = 'nightly'), before AS (SELECT DISTINCT "
        "m.series_id FROM job j JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt "
        "JOIN measurement m ON m.run_id = r.id WHERE j.nightly_id = ?1 "
        "AND j.purpose = 'nightly') SELECT s.id FROM series s WHERE s.id IN before "
        "AND s.id NOT IN tonight ORDER BY s.id",
        measured,
        not_measured));
}

}  // namespace vigil::service
