#include "service/store/series/measured_series.hpp"

namespace vigil::service {

SeriesId ensure_series(Database& db, const NewSeries& series) {
    const auto found = db.find<SeriesId>(
        "SELECT id FROM series WHERE project_id = ?1 AND benchmark = ?2 AND variant = ?3 "
        "AND machine_class_id = ?4 AND metric = ?5 AND definition = ?6",
        series.project,
        series.benchmark,
        series.variant,
        series.machine_class,
        series.metric,
        definition_of(series.metric));
    if (found) return *found;
    db.execute(
        "INSERT INTO series(project_id, benchmark, variant, machine_class_id, metric, "
        "definition, unit, direction) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        series.project,
        series.benchmark,
        series.variant,
        series.machine_class,
        series.metric,
        definition_of(series.metric),
        series.unit,
        series.direction);
    return SeriesId{db.last_insert_id()};
}

}  // namespace vigil::service
