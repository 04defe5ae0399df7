#include "service/watch/suspected.hpp"

#include <string>

#include <fmt/format.h>

#include "schema/model/states.hpp"
#include "service/store/events.hpp"

namespace vigil::service {

namespace {

std::string version_of(Database& db, NightlyId nightly) {
    return *db.find<std::string>("SELECT version FROM nightly WHERE id = ?1", nightly);
}

}  // namespace

void open_suspicion(
    Database& db,
    const SeriesRow& series,
    NightlyId nightly,
    const Suspected& suspected,
    bool same_build,
    std::int64_t now_s) {
    const auto& judgement = suspected.judgement;
    const auto& history = suspected.history;
    std::string reason = judgement.reason;
    if (history.since) {
        reason += fmt::format(
            "; suspicion {:.1f}, likely since nightly {} ({} to {})",
            history.score,
            version_of(db, *history.since),
            version_of(db, *history.earliest),
            version_of(db, *history.latest));
    }
    if (same_build) reason += "; the two builds have the same product";
    db.execute(
        "INSERT INTO suspicion(series_id, nightly_id, good_nightly_id, kind, state, verdict, base, "
        "value, change_ratio, reason, created_at_s, ended_at_s, score, creep, since_nightly_id, "
        "since_earliest_id, since_latest_id, is_check, chance, waited, moved) VALUES (?1, ?2, "
        "?3, 'level', ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, "
        "?20)",
        series.id,
        nightly,
        suspected.good.nightly,
        same_build ? SuspicionState::ended : SuspicionState::open,
        same_build ? std::optional(Verdict::noise) : std::nullopt,
        judgement.base,
        judgement.value,
        judgement.change_ratio,
        reason,
        now_s,
        same_build ? std::optional(now_s) : std::nullopt,
        history.score,
        suspected.is_creep ? 1 : 0,
        history.since,
        history.earliest,
        history.latest,
        suspected.is_check ? 1 : 0,
        suspected.chance,
        suspected.waited,
        suspected.moved);
    record_event(
        db,
        now_s,
        "suspicion.opened",
        series.project,
        "suspicion/" + std::to_string(db.last_insert_id()),
        words_of(db, series) + ": " + reason);
}

}  // namespace vigil::service
