#include "service/store/series/drifts.hpp"

namespace vigil::service {

bool is_listed(Database& db, const NewDrift& drift, double grown_by) {
    return db
        .find<int>(
            "SELECT 1 FROM drift WHERE series_id = ?1 AND since_earliest_id <= ?3 "
            "AND since_latest_id >= ?2 AND (change_ratio > 0) = (?4 > 0) "
            "AND abs(change_ratio) >= abs(?4) - ?5 AND NOT EXISTS (SELECT 1 FROM left_out o "
            "WHERE o.nightly_id = drift.nightly_id AND o.worker_id = 0) LIMIT 1",
            drift.series,
            drift.earliest,
            drift.latest,
            drift.change_ratio,
            grown_by)
        .has_value();
}

std::int64_t add_drift(Database& db, const NewDrift& drift, std::int64_t now_s) {
    db.execute(
        "INSERT INTO drift(series_id, kind, nightly_id, since_nightly_id, since_earliest_id, "
        "since_latest_id, suspicion_id, before, after, change_ratio, low, high, created_at_s) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        drift.series,
        drift.kind,
        drift.nightly,
        drift.since,
        drift.earliest,
        drift.latest,
        drift.suspicion,
        drift.before,
        drift.after,
        drift.change_ratio,
        drift.low,
        drift.high,
        now_s);
    return db.last_insert_id();
}

std::vector<DriftVerdict> list_drift_verdicts(Database& db, NightlyId nightly) {
    std::vector<DriftVerdict> drifts;
    auto rows = db.query(
        "SELECT id, series_id, good_nightly_id, creep, confirmed, since_nightly_id, "
        "since_earliest_id, since_latest_id FROM suspicion WHERE nightly_id = ?1 "
        "AND verdict = 'drift' ORDER BY id",
        nightly);
    while (rows.next()) {
        drifts.push_back(
            {rows.get<SuspicionId>(0),
             rows.get<SeriesId>(1),
             rows.get<NightlyId>(2),
             rows.get<bool>(3),
             rows.get<std::string>(4),
             rows.get<std::optional<NightlyId>>(5),
             rows.get<std::optional<NightlyId>>(6),
             rows.get<std::optional<NightlyId>>(7)});
    }
    return drifts;
}

}  // namespace vigil::service
