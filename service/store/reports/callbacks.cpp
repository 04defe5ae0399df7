#include "service/store/reports/callbacks.hpp"

namespace vigil::service {

void add_callback(Database& db, JobId job, int attempt, std::int64_t steady_s) {
    db.execute(
        "INSERT INTO callback(job_id, attempt, state, next_try_at_s) "
        "VALUES (?1, ?2, 'pending', ?3)",
        job,
        attempt,
        steady_s);
}

std::vector<PendingCallback> list_due_callbacks(Database& db, std::int64_t steady_s, int limit) {
    return db.all<PendingCallback>(
        "SELECT job_id, attempt, tries FROM callback WHERE state = 'pending' "
        "AND next_try_at_s <= ?1 ORDER BY next_try_at_s, job_id LIMIT ?2",
        steady_s,
        limit);
}

std::vector<PendingCallback> list_cut_callbacks(Database& db) {
    return db.all<PendingCallback>(
        "SELECT job_id, attempt, tries FROM callback WHERE state = 'pending' AND in_flight");
}

void write_callback(Database& db, const PendingCallback& callback, const CallbackState& state) {
    db.execute(
        "UPDATE callback SET state = ?3, tries = ?4, next_try_at_s = ?5, message = ?6, "
        "in_flight = ?7 "
        "WHERE job_id = ?1 AND attempt = ?2",
        callback.job,
        callback.attempt,
        state);
}

}  // namespace vigil::service
