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

std::vector<PendingCallback> list_due_callbacks(Database& db, std::int64_t steady_s) {
    return db.all<PendingCallback>(
        "SELECT job_id, attempt, tries FROM (SELECT c.*, "
        "row_number() OVER (PARTITION BY j.project_id ORDER BY c.next_try_at_s, c.job_id) AS turn, "
        "max(c.in_flight AND c.next_try_at_s > ?1 AND j.state = 'leased' "
        "AND j.attempt = c.attempt) OVER (PARTITION BY j.project_id) AS busy "
        "FROM callback c JOIN job j ON j.id = c.job_id WHERE c.state = 'pending') "
        "WHERE turn = 1 AND next_try_at_s <= ?1 AND NOT busy",
        steady_s);
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
