#include "service/watch/series/suspicions.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "service/store/events.hpp"
#include "service/watch/series/series_records.hpp"

namespace vigil::service {

namespace {

std::string version_of(Database& db, std::int64_t nightly) {
    return db.find<std::string>("SELECT version FROM nightly WHERE id = ?1", nightly).value_or("?");
}

std::string reason_of(Database& db, const detect::NightWord& word) {
    if (!word.since) return word.reason;
    return word.reason + fmt::format(
                             "; suspicion {:.1f}, likely since nightly {} ({} to {})",
                             word.score,
                             version_of(db, *word.since),
                             version_of(db, *word.earliest),
                             version_of(db, *word.latest));
}

void write_end(
    Database& db,
    const OpenSuspicion& suspicion,
    Verdict verdict,
    const Comparison& comparison,
    const std::string& reason,
    const std::string& waits,
    std::int64_t now_s) {
    db.execute(
        "UPDATE suspicion SET state = 'ended', verdict = ?2, confirmed = ?3, "
        "reason = reason || '; ' || ?4, waits = ?5, ended_at_s = ?6 WHERE id = ?1",
        suspicion.id,
        verdict,
        comparison.runs_before > 0 ? wire::to_json(comparison).dump() : "{}",
        reason,
        waits,
        now_s);
    const auto series = load_series(db, suspicion.series);
    record_event(
        db,
        now_s,
        waits.empty() ? "suspicion." + std::string(to_string(verdict)) : "suspicion.waits",
        series.project,
        "suspicion/" + to_string(suspicion.id),
        words_of(db, series) + ": " + reason);
}

}  // namespace

std::vector<OpenSuspicion> list_unended(Database& db, NightlyId nightly) {
    std::vector<OpenSuspicion> unended;
    auto rows = db.query(
        "SELECT id, series_id, good_nightly_id, session_id, kind = 'outcome' FROM suspicion "
        "WHERE nightly_id = ?1 AND state IN ('open', 'confirming') ORDER BY session_id, id",
        nightly);
    while (rows.next()) {
        unended.push_back(
            {rows.get<SuspicionId>(0),
             rows.get<SeriesId>(1),
             nightly,
             rows.get<NightlyId>(2),
             rows.get<std::optional<SessionId>>(3),
             rows.get<bool>(4)});
    }
    return unended;
}

SuspicionId open_suspicion(
    Database& db,
    const SeriesRow& series,
    NightlyId nightly,
    const detect::NightWord& word,
    const detect::Question& question,
    std::int64_t now_s) {
    const auto reason = reason_of(db, word);
    db.execute(
        "INSERT INTO suspicion(series_id, nightly_id, good_nightly_id, kind, state, base, value, "
        "change_ratio, reason, created_at_s, score, creep, since_nightly_id, since_earliest_id, "
        "since_latest_id, is_check, chance, waited, moved, asked, old_nights) VALUES (?1, ?2, ?3, "
        "'level', 'open', ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, "
        "?19)",
        series.id,
        nightly,
        question.old_nights.front(),
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
        nlohmann::json(question.old_nights).dump());
    const SuspicionId suspicion{db.last_insert_id()};
    record_event(
        db,
        now_s,
        "suspicion.opened",
        series.project,
        "suspicion/" + to_string(suspicion),
        words_of(db, series) + ": " + reason);
    return suspicion;
}

void end_suspicion(
    Database& db,
    const OpenSuspicion& suspicion,
    const detect::Answer& answer,
    const Comparison& comparison,
    const std::string& reason,
    std::int64_t now_s,
    const std::string& waits) {
    auto record = load_record(db, suspicion.series, suspicion.nightly);
    const bool is_asked = record && record->question;
    const auto verdict = is_asked ? answer.verdict : Verdict::watch;
    write_end(db, suspicion, verdict, comparison, reason, waits, now_s);
    if (!is_asked) return;
    db.execute("UPDATE suspicion SET answer = ?2 WHERE id = ?1", suspicion.id, to_text(answer));
    const auto level = detect::take_answer(*record, answer);
    store_record(db, suspicion.series, suspicion.nightly, *record);
    if (!level) return;
    const NightlyId first{level->first_night};
    note_level(db, suspicion.series, first, suspicion.nightly, level->reason, now_s);
}

void end_outcome(
    Database& db,
    const OpenSuspicion& suspicion,
    Verdict verdict,
    const Comparison& comparison,
    const std::string& reason,
    std::int64_t now_s) {
    write_end(db, suspicion, verdict, comparison, reason, "", now_s);
}

std::optional<detect::Answer> answer_unasked(
    Database& db, const OpenSuspicion& suspicion, Verdict verdict) {
    const auto record = load_record(db, suspicion.series, suspicion.nightly);
    if (!record || !record->question) return std::nullopt;
    return detect::answer_without_runs(*record, verdict);
}

}  // namespace vigil::service
