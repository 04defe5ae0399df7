#include "service/store/lists/history.hpp"

namespace vigil::service {

std::vector<NightlyId> list_worse_nights(Database& db, SeriesId series) {
    return db.all<NightlyId>(
        "SELECT u.nightly_id FROM regression_series rs "
        "JOIN suspicion u ON u.id = rs.suspicion_id "
        "JOIN regression r ON r.id = rs.regression_id "
        "WHERE rs.series_id = ?1 AND r.state NOT IN ('refuted', 'not_reproduced')",
        series);
}

std::vector<NightlyId> list_moved_nights(Database& db, SeriesId series) {
    return db.all<NightlyId>(
        "SELECT b.nightly_id FROM baseline b WHERE b.series_id = ?1 AND b.kind = 'rolling' "
        "AND b.withdrawn = 0 AND NOT EXISTS (SELECT 1 FROM suspicion u "
        "WHERE u.series_id = b.series_id AND u.nightly_id = b.nightly_id "
        "AND u.verdict IN ('regression', 'leak', 'broken', 'improvement', 'fixed'))",
        series);
}

NightNames load_night_names(Database& db, NightlyId nightly) {
    return db.load<NightNames>(
        "nightly",
        "SELECT CASE WHEN date(day) IS day THEN day ELSE '' END, "
        "strftime('%Y-%m-%dT%H:%M:%SZ', created_at_s, 'unixepoch') FROM nightly WHERE id = ?1",
        nightly);
}

}  // namespace vigil::service
