#include "service/store/series/suspicions.hpp"

#include <nlohmann/json.hpp>

#include "schema/model/transitions.hpp"
#include "service/store/events.hpp"
#include "service/store/json_columns.hpp"
#include "service/store/series/answers.hpp"

namespace vigil::service {

namespace {

/// Beyond those that became short too: events and pages know a suspicion by its number.
const std::string next_number =
    "(SELECT 1 + max(ifnull((SELECT max(id) FROM suspicion), 0), "
    "ifnull((SELECT max(id) FROM old_suspicion), 0)))";

std::string subject_of(SuspicionId suspicion) {
    return "suspicion/" + to_string(suspicion);
}

void tell_opened(
    Database& db,
    SuspicionId suspicion,
    const SeriesRow& series,
    const std::string& reason,
    std::int64_t now_s) {
    const auto words = words_of(db, series) + ": " + reason;
    record_event(db, now_s, "suspicion.opened", series.project, subject_of(suspicion), words);
}

// @param changed  how many rows are in the new state, of those that were in the old one
void check_moved(const OpenSuspicion& suspicion, SuspicionState to, std::int64_t changed) {
    if (may_move(suspicion.state, to) && changed == 1) return;
    throw Error(
        Errc::conflict,
        subject_of(suspicion.id) + " is no longer " + std::string(to_string(suspicion.state)) +
            ", or cannot become " + std::string(to_string(to)));
}

}  // namespace

std::vector<OpenSuspicion> list_unended(Database& db, NightlyId nightly) {
    return db.all<OpenSuspicion>(
        std::string("SELECT u.id, u.state, ") + series_columns +
            ", u.nightly_id, u.good_nightly_id, u.old_nights, u.session_id, u.kind = 'outcome', "
            "u.asked, u.change_ratio, u.chance, u.waited, u.base, u.value FROM suspicion u "
            "CROSS JOIN series s ON s.id = u.series_id WHERE u.nightly_id = ?1 "
            "AND u.state IN {open_suspicions} ORDER BY u.session_id, u.id",
        nightly);
}

OpenSuspicion add_suspicion(
    Database& db,
    const SeriesRow& series,
    NightlyId nightly,
    const detect::NightWord& word,
    const detect::Question& question,
    const std::string& reason,
    std::int64_t now_s) {
    OpenSuspicion suspicion;
    suspicion.series = series;
    suspicion.nightly = nightly;
    suspicion.good_nightly = NightlyId{question.old_nights.front()};
    suspicion.old_nights = nlohmann::json(question.old_nights).dump();
    suspicion.asked = question.asked;
    suspicion.change_ratio = word.change_ratio;
    suspicion.chance = word.chance;
    suspicion.waited = word.waited;
    suspicion.base = word.base;
    suspicion.value = word.value;
    suspicion.id = db.insert<SuspicionId>(
        "INSERT INTO suspicion(series_id, nightly_id, good_nightly_id, kind, state, base, value, "
        "change_ratio, reason, created_at_s, score, creep, since_nightly_id, since_earliest_id, "
        "since_latest_id, is_check, chance, waited, moved, asked, old_nights, id) VALUES (?1, ?2, "
        "?3, 'level', 'open', ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, "
        "?18, ?19, " +
            next_number + ")",
        series.id,
        nightly,
        suspicion.good_nightly,
        word.base,
        word.value,
        word.change_ratio,
        reason,
        now_s,
        word.score,
        question.is_creep ? 1 : 0,
        word.since,
        word.earliest,
        word.latest,
        word.is_optional ? 1 : 0,
        word.chance,
        word.waited,
        word.moved,
        question.asked,
        suspicion.old_nights);
    tell_opened(db, suspicion.id, series, reason, now_s);
    return suspicion;
}

bool has_suspicion(Database& db, SeriesId series, NightlyId nightly) {
    return db.has(
        "SELECT 1 FROM suspicion WHERE series_id = ?1 AND nightly_id = ?2", series, nightly);
}

OpenSuspicion add_outcome_suspicion(
    Database& db,
    const SeriesRow& series,
    const NewOutcomeSuspicion& suspicion,
    std::int64_t now_s) {
    const auto id = db.insert<SuspicionId>(
        "INSERT INTO suspicion(series_id, nightly_id, good_nightly_id, kind, state, base, "
        "value, change_ratio, reason, created_at_s, old_nights, id) VALUES (?1, ?2, ?3, "
        "'outcome', 'open', ?4, ?4, 0, ?5, ?6, '[' || ?3 || ']', " +
            next_number + ")",
        series.id,
        suspicion,
        now_s);
    tell_opened(db, id, series, suspicion.reason, now_s);
    OpenSuspicion opened;
    opened.id = id;
    opened.series = series;
    opened.nightly = suspicion.nightly;
    opened.good_nightly = suspicion.good_nightly;
    opened.by_outcome = true;
    return opened;
}

void join_session(Database& db, const OpenSuspicion& suspicion, SessionId session) {
    const auto changed = db.execute(
        "UPDATE suspicion SET state = 'confirming', session_id = ?2 WHERE id = ?1 AND state = ?3",
        suspicion.id,
        session,
        suspicion.state);
    check_moved(suspicion, SuspicionState::confirming, changed);
}

void end_suspicion(
    Database& db, const OpenSuspicion& suspicion, const SuspicionEnd& end, std::int64_t now_s) {
    const auto changed = db.execute(
        "UPDATE suspicion SET state = 'ended', verdict = ?2, confirmed = ?3, "
        "reason = reason || '; ' || ?4, waits = ?5, answer = ifnull(?6, answer), ended_at_s = ?7 "
        "WHERE id = ?1 AND state = ?8",
        suspicion.id,
        end.verdict,
        end.comparison,
        end.reason,
        end.waits,
        end.answer ? std::optional(text_of(*end.answer)) : std::nullopt,
        now_s,
        suspicion.state);
    check_moved(suspicion, SuspicionState::ended, changed);
    const auto& series = suspicion.series;
    const std::string verdict(to_string(end.verdict));
    const auto kind = end.waits.empty() ? "suspicion." + verdict : "suspicion.waits";
    const auto words = words_of(db, series) + ": " + end.reason;
    record_event(db, now_s, kind, series.project, subject_of(suspicion.id), words);
}

bool is_undecided_since(Database& db, SeriesId series, NightlyId since) {
    return db.has(
        "SELECT 1 FROM suspicion WHERE series_id = ?1 AND nightly_id >= ?2 "
        "AND kind = 'level' AND verdict = 'watch' LIMIT 1",
        series,
        since);
}

NightlyId find_last_requested(Database& db, SeriesId series, NightlyId nightly) {
    const auto night = db.find<NightlyId>(
        "SELECT nightly_id FROM every_suspicion WHERE series_id = ?1 AND nightly_id < ?2 "
        "AND (session_id IS NOT NULL OR waits = '') ORDER BY nightly_id DESC LIMIT 1",
        series,
        nightly);
    return night.value_or(NightlyId{0});
}

int count_unasked(Database& db, SeriesId series, NightlyId nightly, NightlyId since) {
    return *db.find<int>(
        "SELECT COUNT(*) FROM suspicion WHERE series_id = ?1 AND nightly_id < ?2 "
        "AND nightly_id > ?3 AND waits <> '' AND session_id IS NULL",
        series,
        nightly,
        since);
}

std::optional<SuspicionId> add_told_suspicion(
    Database& db, const ToldChange& told, std::int64_t now_s) {
    // What a night that is rolled up had asked in vain is what a person tells now.
    db.execute(
        "DELETE FROM old_suspicion WHERE series_id = ?1 AND nightly_id = ?2",
        told.series,
        told.nightly);
    return db.find<SuspicionId>(
        "INSERT INTO suspicion(series_id, nightly_id, good_nightly_id, session_id, base, value, "
        "change_ratio, confirmed, reason, created_at_s, ended_at_s, kind, state, verdict, "
        "old_nights, id) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10, 'level', 'ended', "
        "'regression', '[' || ?3 || ']', " +
            next_number +
            ") ON CONFLICT(series_id, nightly_id) DO UPDATE SET "
            "good_nightly_id = ?3, session_id = ?4, confirmed = ?8, reason = reason || '; ' || ?9, "
            "ended_at_s = ?10, kind = 'level', state = 'ended', verdict = 'regression', "
            "asked = 'worse', old_nights = '[' || ?3 || ']', answer = '', waits = '' "
            "WHERE state = 'ended' RETURNING id",
        told,
        now_s);
}

void end_all_suspicions(
    Database& db, NightlyId nightly, Verdict verdict, const std::string& why, std::int64_t now_s) {
    db.execute(
        "UPDATE suspicion SET state = 'ended', verdict = ?2, ended_at_s = ?4, "
        "reason = reason || '; ' || ?3 WHERE nightly_id = ?1 AND state IN {open_suspicions}",
        nightly,
        verdict,
        why,
        now_s);
}

std::vector<ConfirmedChange> list_confirmed(Database& db, NightlyId nightly) {
    return db.all<ConfirmedChange>(
        "SELECT s.id, s.series_id, s.good_nightly_id, s.session_id, s.confirmed, "
        "s.kind = 'outcome', NULL FROM suspicion s WHERE s.nightly_id = ?1 "
        "AND s.verdict IN {opening_verdicts} AND s.session_id IS NOT NULL "
        "AND NOT EXISTS (SELECT 1 FROM regression_series r WHERE r.suspicion_id = s.id) "
        "ORDER BY s.id",
        nightly);
}

std::vector<ConfirmedChange> list_unconfirmed(Database& db, NightlyId nightly) {
    return db.all<ConfirmedChange>(
        "SELECT s.id, s.series_id, s.good_nightly_id, 0, s.confirmed, s.kind = 'outcome', "
        "NULL "
        "FROM suspicion s WHERE s.nightly_id = ?1 AND s.verdict = 'unconfirmed' "
        "AND (s.kind = 'outcome' OR (s.kind = 'level' AND s.asked = 'worse')) "
        "AND NOT EXISTS (SELECT 1 FROM regression_series r WHERE r.suspicion_id = s.id) "
        "ORDER BY s.id",
        nightly);
}

std::vector<DriftVerdict> list_drift_verdicts(Database& db, NightlyId nightly) {
    return db.all<DriftVerdict>(
        "SELECT id, series_id, good_nightly_id, creep, confirmed, since_nightly_id, "
        "since_earliest_id, since_latest_id FROM suspicion WHERE nightly_id = ?1 "
        "AND verdict = 'drift' ORDER BY id",
        nightly);
}

std::vector<FixedSeries> list_fixed(Database& db, NightlyId nightly, MendedOrAsked which) {
    return db.all<FixedSeries>(
        "SELECT series_id, good_nightly_id FROM suspicion WHERE nightly_id = ?1 "
        "AND (verdict = 'fixed' OR (?2 AND asked = 'recovered')) ORDER BY id",
        nightly,
        which == MendedOrAsked::or_asked);
}

std::vector<RecoveryAnswer> list_recovery_answers(Database& db, SeriesId series, NightlyId after) {
    return db.all<RecoveryAnswer>(
        "SELECT nightly_id, verdict, confirmed FROM suspicion WHERE series_id = ?1 "
        "AND nightly_id > ?2 AND asked = 'recovered'",
        series,
        after);
}

std::vector<LaterAnswer> list_later_answers(Database& db, SeriesId series, NightlyId after) {
    return db.all<LaterAnswer>(
        "SELECT u.nightly_id, n.name, u.good_nightly_id, u.verdict, u.confirmed, "
        "(SELECT iif(count(*) = 1, nullif(max(x.verified), '{}'), NULL) FROM regression_series x "
        "WHERE x.suspicion_id = u.id), coalesce(u.since_nightly_id, u.nightly_id) "
        "FROM suspicion u JOIN nightly n ON n.id = u.nightly_id WHERE u.series_id = ?1 AND "
        "u.nightly_id > ?2 "
        "AND u.kind = 'level' AND u.verdict IS NOT NULL AND u.confirmed ->> '$.runs_after' > 0 "
        "AND NOT EXISTS (SELECT 1 FROM left_out l WHERE l.nightly_id = u.nightly_id "
        "AND l.worker_id = 0) ORDER BY u.nightly_id",
        series,
        after);
}

// By the series, and not by its number: the plan of a join would read every suspicion.
std::optional<SuspectedSince> find_suspected_since(
    Database& db, SuspicionId suspicion, NightlyId good) {
    const auto series =
        db.find<SeriesId>("SELECT series_id FROM suspicion WHERE id = ?1", suspicion);
    if (!series) return std::nullopt;
    return db.first<SuspectedSince>(
        "SELECT series_id, since_nightly_id, since_earliest_id, since_latest_id "
        "FROM every_suspicion WHERE series_id = ?1 AND kind = 'level' AND +id <= ?2 "
        "AND nightly_id > ?3 AND since_nightly_id IS NOT NULL ORDER BY id DESC LIMIT 1",
        *series,
        suspicion,
        good);
}

}  // namespace vigil::service
