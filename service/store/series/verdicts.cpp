#include "service/store/series/verdicts.hpp"

#include <nlohmann/json.hpp>

#include "schema/wire/job_json.hpp"
#include "schema/wire/json.hpp"

namespace vigil::service {

std::vector<ConfirmedChange> list_confirmed(Database& db, NightlyId nightly) {
    std::vector<ConfirmedChange> confirmed;
    auto rows = db.query(
        "SELECT s.id, s.series_id, s.good_nightly_id, s.session_id, s.confirmed, "
        "s.kind = 'outcome' FROM suspicion s WHERE s.nightly_id = ?1 "
        "AND s.verdict IN ('regression', 'broken') AND s.session_id IS NOT NULL "
        "AND NOT EXISTS (SELECT 1 FROM regression_series r WHERE r.suspicion_id = s.id) "
        "ORDER BY s.id",
        nightly);
    while (rows.next()) {
        const auto comparison = wire::parse_comparison(
            wire::parse_json(rows.get<std::string>(4), "suspicion.confirmed"));
        confirmed.push_back(
            {rows.get<SuspicionId>(0),
             rows.get<SeriesId>(1),
             rows.get<NightlyId>(2),
             rows.get<SessionId>(3),
             comparison.change_ratio,
             rows.get<bool>(5)});
    }
    return confirmed;
}

std::vector<MendedSeries> list_mended(Database& db, NightlyId nightly, MendedOrAsked which) {
    std::vector<MendedSeries> mended;
    auto rows = db.query(
        "SELECT series_id, good_nightly_id FROM suspicion WHERE nightly_id = ?1 "
        "AND (verdict = 'fixed' OR (?2 AND asked = 'recovered')) ORDER BY id",
        nightly,
        which == MendedOrAsked::or_asked);
    while (rows.next()) mended.push_back({rows.get<SeriesId>(0), rows.get<NightlyId>(1)});
    return mended;
}

std::vector<RecoveryAnswer> list_recovery_answers(Database& db, SeriesId series, NightlyId after) {
    std::vector<RecoveryAnswer> answers;
    auto rows = db.query(
        "SELECT nightly_id, verdict, confirmed FROM suspicion WHERE series_id = ?1 "
        "AND nightly_id > ?2 AND asked = 'recovered'",
        series,
        after);
    while (rows.next()) {
        const auto confirmed = wire::parse_json(rows.get<std::string>(2), "suspicion.confirmed");
        answers.push_back(
            {rows.get<NightlyId>(0),
             rows.get<std::optional<Verdict>>(1),
             confirmed.empty() ? 0 : wire::parse_comparison(confirmed).above});
    }
    return answers;
}

std::optional<SuspectedSince> find_suspected_since(
    Database& db, SuspicionId suspicion, NightlyId good) {
    auto rows = db.query(
        "SELECT w.series_id, w.since_nightly_id, w.since_earliest_id, w.since_latest_id "
        "FROM suspicion u JOIN suspicion w ON w.series_id = u.series_id AND w.kind = 'level' "
        "AND w.id <= u.id AND w.nightly_id > ?2 WHERE u.id = ?1 "
        "AND w.since_nightly_id IS NOT NULL ORDER BY w.id DESC LIMIT 1",
        suspicion,
        good);
    if (!rows.next()) return std::nullopt;
    return SuspectedSince{
        rows.get<SeriesId>(0),
        rows.get<NightlyId>(1),
        rows.get<NightlyId>(2),
        rows.get<NightlyId>(3)};
}

}  // namespace vigil::service
