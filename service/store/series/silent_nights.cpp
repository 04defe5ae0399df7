#include "service/store/series/silent_nights.hpp"

namespace vigil::service {

std::optional<NightlyId> find_silent_night(
    Database& db, SeriesId series, NightlyId after, NightlyId before, int limit) {
    return db.find<NightlyId>(
        "SELECT n.id FROM (SELECT n.id, n.build_id FROM night n WHERE n.project_id = "
        "(SELECT project_id FROM series WHERE id = ?1) AND n.id > ?2 AND n.id < ?3 "
        "ORDER BY n.id DESC LIMIT ?4) n CROSS JOIN series s ON s.id = ?1 "
        "CROSS JOIN run r ON r.build_id = n.build_id AND r.benchmark = s.benchmark "
        "AND r.variant = s.variant AND r.machine_class_id = s.machine_class_id "
        "CROSS JOIN job j ON j.id = r.job_id AND j.attempt = r.attempt AND j.nightly_id = n.id "
        "AND j.purpose = 'nightly' GROUP BY n.id HAVING SUM(r.outcome = 'passed') = 0 "
        "AND SUM(r.outcome <> 'unsupported') > 0 ORDER BY n.id DESC LIMIT 1",
        series,
        after,
        before,
        limit);
}

}  // namespace vigil::service
