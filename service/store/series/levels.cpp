#include "service/store/series/levels.hpp"

namespace vigil::service {

void add_level(
    Database& db,
    SeriesId series,
    const LevelRow& level,
    const std::string& reason,
    std::int64_t now_s) {
    db.execute(
        "INSERT INTO baseline(series_id, kind, nightly_id, after_nightly_id, forgets, by_answer, "
        "reason, created_at_s) VALUES (?1, 'rolling', ?2, ?3, ?4, ?5, ?6, ?7)",
        series,
        level,
        reason,
        now_s);
}

std::vector<LevelRow> list_levels(Database& db, SeriesId series) {
    return db.all<LevelRow>(
        "SELECT nightly_id, after_nightly_id, forgets, by_answer FROM baseline "
        "WHERE series_id = ?1 AND kind = 'rolling' AND withdrawn = 0 ORDER BY id",
        series);
}

NightlyId find_level_start(Database& db, SeriesId series, NightlyId until) {
    const auto start = db.find<NightlyId>(
        "SELECT nightly_id FROM baseline WHERE series_id = ?1 AND kind = 'rolling' "
        "AND withdrawn = 0 AND nightly_id <= ?2 ORDER BY id DESC LIMIT 1",
        series,
        until);
    return start.value_or(NightlyId{0});
}

std::vector<AnsweredLevel> list_answered_levels(Database& db, NightlyId nightly) {
    return db.all<AnsweredLevel>(
        "SELECT b.id, b.series_id FROM baseline b WHERE b.after_nightly_id = ?1 "
        "AND b.by_answer = 1 AND b.kind = 'rolling' AND NOT EXISTS (SELECT 1 FROM suspicion u "
        "JOIN regression_series x ON x.suspicion_id = u.id WHERE u.series_id = b.series_id "
        "AND u.nightly_id = ?1) AND NOT EXISTS (SELECT 1 FROM regression_series x "
        "WHERE x.series_id = b.series_id AND x.recovered_nightly_id = ?1)",
        nightly);
}

void note_level_use(Database& db, const AnsweredLevel& level, LevelUse use) {
    db.execute(
        "UPDATE baseline SET withdrawn = ?2 WHERE id = ?1", level.id, use == LevelUse::withdrawn);
}

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

std::optional<NightlyId> find_pinned(Database& db, SeriesId series) {
    return db.find<NightlyId>(
        "SELECT nightly_id FROM baseline WHERE series_id = ?1 AND kind = 'pinned' "
        "ORDER BY id DESC LIMIT 1",
        series);
}

}  // namespace vigil::service
