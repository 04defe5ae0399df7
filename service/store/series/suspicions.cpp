#include "service/store/series/suspicions.hpp"

#include <nlohmann/json.hpp>

#include "schema/model/transitions.hpp"
#include "schema/wire/job_json.hpp"
#include "service/store/events.hpp"
#include "service/store/series/answers.hpp"

namespace vigil::service {

namespace {

std::string subject_of(SuspicionId suspicion) {
    return "suspicion/" + to_string(suspicion);
}

// An older ledger kept verdicts only.
detect::Answer answer_of(const Query& row) {
    const auto text = row.get<std::string>(1);
    if (!text.empty()) return parse_answer(text);
    detect::Answer answer;
    answer.verdict = row.get<Verdict>(2);
    answer.asked = row.get<detect::Asked>(3);
    answer.old_nights = {row.get<std::int64_t>(4)};
    answer.is_creep = row.get<bool>(5);
    answer.is_measured = row.get<bool>(6);
    answer.moved = row.get<double>(7);
    return answer;
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
    std::vector<OpenSuspicion> unended;
    auto rows = db.query(
        "SELECT " + std::string(series_columns) +
            ", u.id, u.state, u.good_nightly_id, u.old_nights, u.session_id, u.kind = 'outcome', "
            "u.asked, u.change_ratio, u.chance, u.waited FROM suspicion u "
            "CROSS JOIN series s ON s.id = u.series_id WHERE u.nightly_id = ?1 "
            "AND u.state IN ('open', 'confirming') ORDER BY u.session_id, u.id",
        nightly);
    while (rows.next()) {
        unended.push_back(
            {rows.get<SuspicionId>(7),
             rows.get<SuspicionState>(8),
             read_series(rows),
             nightly,
             rows.get<NightlyId>(9),
             rows.get<std::string>(10),
             rows.get<std::optional<SessionId>>(11),
             rows.get<bool>(12),
             rows.get<detect::Asked>(13),
             rows.get<double>(14),
             rows.get<double>(15),
             rows.get<int>(16)});
    }
    return unended;
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
    db.execute(
        "INSERT INTO suspicion(series_id, nightly_id, good_nightly_id, kind, state, base, value, "
        "change_ratio, reason, created_at_s, score, creep, since_nightly_id, since_earliest_id, "
        "since_latest_id, is_check, chance, waited, moved, asked, old_nights) VALUES (?1, ?2, ?3, "
        "'level', 'open', ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, "
        "?19)",
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
    suspicion.id = SuspicionId{db.last_insert_id()};
    record_event(
        db,
        now_s,
        "suspicion.opened",
        series.project,
        subject_of(suspicion.id),
        words_of(db, series) + ": " + reason);
    return suspicion;
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
    const bool is_compared = end.comparison.runs_before > 0;
    const auto changed = db.execute(
        "UPDATE suspicion SET state = 'ended', verdict = ?2, confirmed = ?3, "
        "reason = reason || '; ' || ?4, waits = ?5, answer = ifnull(?6, answer), ended_at_s = ?7 "
        "WHERE id = ?1 AND state = ?8",
        suspicion.id,
        end.verdict,
        is_compared ? wire::to_json(end.comparison).dump() : "{}",
        end.reason,
        end.waits,
        end.answer ? std::optional(to_text(*end.answer)) : std::nullopt,
        now_s,
        suspicion.state);
    check_moved(suspicion, SuspicionState::ended, changed);
    record_event(
        db,
        now_s,
        end.waits.empty() ? "suspicion." + std::string(to_string(end.verdict)) : "suspicion.waits",
        suspicion.series.project,
        subject_of(suspicion.id),
        words_of(db, suspicion.series) + ": " + end.reason);
}

std::map<std::int64_t, detect::Answer> load_answers(Database& db, SeriesId series) {
    std::map<std::int64_t, detect::Answer> answers;
    auto rows = db.query(
        "SELECT nightly_id, answer, verdict, asked, good_nightly_id, creep, "
        "session_id IS NOT NULL, moved FROM suspicion WHERE series_id = ?1 "
        "AND kind = 'level' AND verdict IS NOT NULL ORDER BY nightly_id",
        series);
    while (rows.next()) answers.emplace(rows.get<std::int64_t>(0), answer_of(rows));
    return answers;
}

bool is_undecided_since(Database& db, SeriesId series, NightlyId since) {
    return db
        .find<int>(
            "SELECT 1 FROM suspicion WHERE series_id = ?1 AND nightly_id >= ?2 "
            "AND kind = 'level' AND verdict = 'watch' LIMIT 1",
            series,
            since)
        .has_value();
}

}  // namespace vigil::service
