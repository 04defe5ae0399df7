#include "service/store/series/night_levels.hpp"

namespace vigil::service {

void pin_night(
    Database& db,
    SeriesId series,
    NightlyId pinned,
    const std::string& reason,
    std::int64_t now_s) {
    db.execute(
        "INSERT INTO baseline(series_id, kind, nightly_id, reason, created_at_s) "
        "SELECT ?1, 'pinned', ?2, ?3, ?4 WHERE NOT EXISTS ("
        "SELECT 1 FROM baseline b WHERE b.series_id = ?1 AND b.kind = 'pinned' "
        "AND b.nightly_id = ?2)",
        series,
        pinned,
        reason,
        now_s);
}

std::vector<AnsweredLevel> list_answered_levels(Database& db, NightlyId nightly) {
    std::vector<AnsweredLevel> levels;
    auto rows = db.query(
        "SELECT b.id, b.series_id FROM baseline b WHERE b.after_nightly_id = ?1 "
        "AND b.by_answer = 1 AND b.kind = 'rolling' AND NOT EXISTS (SELECT 1 FROM suspicion u "
        "JOIN regression_series x ON x.suspicion_id = u.id WHERE u.series_id = b.series_id "
        "AND u.nightly_id = ?1) AND NOT EXISTS (SELECT 1 FROM regression_series x "
        "WHERE x.series_id = b.series_id AND x.recovered_nightly_id = ?1)",
        nightly);
    while (rows.next()) levels.push_back({rows.get<std::int64_t>(0), rows.get<SeriesId>(1)});
    return levels;
}

void note_level_use(Database& db, const AnsweredLevel& level, LevelUse use) {
    db.execute(
        "UPDATE baseline SET withdrawn = ?2 WHERE id = ?1", level.id, use == LevelUse::withdrawn);
}

}  // namespace vigil::service
