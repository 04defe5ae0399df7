#include "service/store/series/night_suspicions.hpp"

namespace vigil::service {

SuspicionId add_outcome_suspicion(
    Database& db, const NewOutcomeSuspicion& suspicion, std::int64_t now_s) {
    db.execute(
        "INSERT INTO suspicion(series_id, nightly_id, good_nightly_id, kind, state, base, "
        "value, change_ratio, reason, created_at_s, old_nights) "
        "VALUES (?1, ?2, ?3, 'outcome', 'open', ?4, ?4, 0, ?5, ?6, '[' || ?3 || ']')",
        suspicion.series,
        suspicion.nightly,
        suspicion.good_nightly,
        suspicion.value,
        suspicion.reason,
        now_s);
    return SuspicionId{db.last_insert_id()};
}

NightlyId find_last_asked(Database& db, SeriesId series, NightlyId nightly) {
    const auto night = db.find<NightlyId>(
        "SELECT nightly_id FROM suspicion WHERE series_id = ?1 AND nightly_id < ?2 "
        "AND (session_id IS NOT NULL OR waits = '') ORDER BY nightly_id DESC LIMIT 1",
        series,
        nightly);
    return night.value_or(NightlyId{0});
}

int count_unasked(Database& db, SeriesId series, NightlyId nightly, NightlyId since) {
    return db
        .find<int>(
            "SELECT COUNT(*) FROM suspicion WHERE series_id = ?1 AND nightly_id < ?2 "
            "AND nightly_id > ?3 AND waits <> '' AND session_id IS NULL",
            series,
            nightly,
            since)
        .value_or(0);
}

void end_all_suspicions(
    Database& db, NightlyId nightly, Verdict verdict, const std::string& why, std::int64_t now_s) {
    db.execute(
        "UPDATE suspicion SET state = 'ended', verdict = ?2, ended_at_s = ?4, "
        "reason = reason || '; ' || ?3 WHERE nightly_id = ?1 AND state IN ('open', 'confirming')",
        nightly,
        verdict,
        why,
        now_s);
}

void end_all_sessions(Database& db, NightlyId nightly) {
    db.execute("UPDATE session SET state = 'done' WHERE nightly_id = ?1", nightly);
}

void end_idle_sessions(Database& db, NightlyId nightly) {
    db.execute(
        "UPDATE session SET state = 'done' WHERE nightly_id = ?1 AND state = 'open' AND NOT EXISTS "
        "(SELECT 1 FROM suspicion u WHERE u.nightly_id = ?1 AND u.state = 'confirming' "
        "AND u.session_id = session.id)",
        nightly);
}

}  // namespace vigil::service
