#include "service/store/lists/history.hpp"

#include <utility>

namespace vigil::service {

std::vector<NightlyId> list_worse_nights(Database& db, SeriesId series) {
    return db.all<NightlyId>(
        "SELECT u.nightly_id FROM regression_series rs "
        "JOIN suspicion u ON u.id = rs.suspicion_id "
        "JOIN regression r ON r.id = rs.regression_id "
        "WHERE rs.series_id = ?1 AND r.state <> 'refuted' "
        "AND r.ended_as IS NOT 'not_reproduced'",
        series);
}

std::vector<NightlyId> list_moved_nights(Database& db, SeriesId series) {
    return db.all<NightlyId>(
        "SELECT b.nightly_id FROM baseline b WHERE b.series_id = ?1 AND b.kind = 'rolling' "
        "AND b.withdrawn = 0 AND NOT EXISTS (SELECT 1 FROM suspicion u "
        "WHERE u.series_id = b.series_id AND u.nightly_id = b.nightly_id "
        "AND u.verdict IN {level_verdicts})",
        series);
}

std::map<NightlyId, NightNames> load_night_names(
    Database& db, SeriesId series, NightlyId first, NightlyId last) {
    struct Named {
        NightlyId id;
        NightNames names;
    };
    std::map<NightlyId, NightNames> names;
    for (auto& night : db.all<Named>(
             "SELECT id, CASE WHEN date(day) IS day THEN day ELSE '' END, "
             "strftime('%Y-%m-%dT%H:%M:%SZ', created_at_s, 'unixepoch') FROM night "
             "WHERE project_id = (SELECT project_id FROM series WHERE id = ?1) "
             "AND id BETWEEN ?2 AND ?3",
             series,
             first,
             last)) {
        names.emplace(night.id, std::move(night.names));
    }
    return names;
}

}  // namespace vigil::service
