#include "service/store/series/old_suspicions.hpp"

#include <cmath>
#include <optional>

#include <nlohmann/json.hpp>

#include "schema/model/comparison.hpp"
#include "schema/model/state_sets.hpp"
#include "service/store/json_columns.hpp"

namespace vigil::service {

namespace {

bool is_plain(const Comparison& size) {
    return std::isfinite(size.change_ratio) && std::isfinite(size.low) &&
           std::isfinite(size.high) && !size.of_sources;
}

}  // namespace

std::vector<RefutedSuspicion> list_refuted(
    Database& db, NightlyId nightly, SuspicionId from, int limit) {
    return db.all<RefutedSuspicion>(
        std::string("SELECT u.id, ") + answer_columns +
            ", u.confirmed FROM suspicion u WHERE u.nightly_id = ?1 AND u.state = 'ended' "
            "AND u.verdict IN {refuted_verdicts} AND u.id >= ?2 AND u.kind = 'level' "
            "AND u.asked <> 'recovered' AND u.waits = '' AND u.ended_at_s IS NOT NULL "
            "AND NOT EXISTS (SELECT 1 FROM regression_series x WHERE x.suspicion_id = u.id) "
            "AND NOT EXISTS (SELECT 1 FROM drift d WHERE d.suspicion_id = u.id) "
            "AND NOT EXISTS (SELECT 1 FROM missed m WHERE m.suspicion_id = u.id) "
            "AND NOT EXISTS (SELECT 1 FROM improvement i WHERE i.suspicion_id = u.id) "
            "AND NOT EXISTS (SELECT 1 FROM regression_series x CROSS JOIN suspicion f "
            "ON f.id = x.suspicion_id WHERE x.series_id = u.series_id "
            "AND f.nightly_id > u.good_nightly_id AND f.nightly_id < u.nightly_id) "
            "ORDER BY u.id LIMIT ?3",
        nightly,
        from,
        limit);
}

bool shorten_suspicion(Database& db, const RefutedSuspicion& suspicion) {
    const auto answer = answer_of(suspicion.answer);
    const auto size = TextColumn<Comparison>::parse(suspicion.confirmed);
    if (!is_refuted(answer.verdict) || !is_plain(size)) return false;
    const bool is_usual = answer.old_nights == std::vector{suspicion.answer.old_night};
    const auto nights =
        is_usual ? std::nullopt : std::optional(nlohmann::json(answer.old_nights).dump());
    db.execute(
        "INSERT INTO old_suspicion SELECT id, series_id, nightly_id, good_nightly_id, session_id, "
        "since_nightly_id, since_earliest_id, since_latest_id, created_at_s, "
        "ended_at_s - created_at_s, is_check, change_ratio, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, "
        "?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19 FROM suspicion WHERE id = ?1",
        suspicion.id,
        size.runs_before,
        size.runs_after,
        size.change_ratio,
        size.low,
        size.high,
        answer.asked,
        nights,
        answer.is_creep ? 1 : 0,
        answer.is_measured ? 1 : 0,
        answer.evidence.builds,
        answer.moved,
        answer.old_moved,
        answer.sum,
        answer.above,
        answer.evidence.change,
        answer.evidence.variance,
        answer.evidence.freedom,
        answer.verdict);
    db.execute("DELETE FROM event WHERE subject = ?1", "suspicion/" + to_string(suspicion.id));
    db.execute("DELETE FROM suspicion WHERE id = ?1", suspicion.id);
    return true;
}

}  // namespace vigil::service
