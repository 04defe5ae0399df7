#include "service/store/series/drifts.hpp"

namespace vigil::service {

bool is_listed(Database& db, const NewDrift& drift, double grown_by) {
    return db.has(
        "SELECT 1 FROM drift WHERE series_id = ?1 AND since_earliest_id <= ?3 "
        "AND since_latest_id >= ?2 AND (change_ratio > 0) = (?4 > 0) "
        "AND abs(change_ratio) >= abs(?4) - ?5 AND NOT EXISTS (SELECT 1 FROM left_out o "
        "WHERE o.nightly_id = drift.nightly_id AND o.worker_id = 0) LIMIT 1",
        drift.series,
        drift.earliest,
        drift.latest,
        drift.change_ratio,
        grown_by);
}

std::int64_t add_drift(Database& db, const NewDrift& drift, std::int64_t now_s) {
    return db.insert<std::int64_t>(
        "INSERT INTO drift(series_id, nightly_id, kind, since_nightly_id, since_earliest_id, "
        "since_latest_id, suspicion_id, before, after, change_ratio, low, high, created_at_s) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        drift,
        now_s);
}

}  // namespace vigil::service
