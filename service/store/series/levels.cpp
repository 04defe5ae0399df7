#include "service/store/series/levels.hpp"

namespace vigil::service {

void add_level(
    Database& db,
    SeriesId series,
    const LevelRow& level,
    const std::string& reason,
    std::int64_t now_s) {
    db.execute(
        "INSERT INTO baseline(series_id, kind, nightly_id, reason, created_at_s, "
        "after_nightly_id, forgets, by_answer) VALUES (?1, 'rolling', ?2, ?3, ?4, ?5, ?6, ?7)",
        series,
        level.first_night,
        reason,
        now_s,
        level.after,
        level.forgets,
        level.by_answer);
}

std::vector<LevelRow> list_levels(Database& db, SeriesId series) {
    std::vector<LevelRow> levels;
    auto rows = db.query(
        "SELECT nightly_id, after_nightly_id, forgets, by_answer FROM baseline "
        "WHERE series_id = ?1 AND kind = 'rolling' AND withdrawn = 0 ORDER BY id",
        series);
    while (rows.next()) {
        levels.push_back(
            {rows.get<NightlyId>(0),
             rows.get<std::optional<NightlyId>>(1),
             rows.get<bool>(2),
             rows.get<bool>(3)});
    }
    return levels;
}

}  // namespace vigil::service
