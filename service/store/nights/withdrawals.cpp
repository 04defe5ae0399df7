#include "service/store/nights/withdrawals.hpp"

namespace vigil::service {

namespace {

const std::string select_standing =
    "SELECT ifnull(w.name, ''), x.reason, x.token, x.created_at_s, x.cut_off FROM withdrawal x "
    "LEFT JOIN worker w ON w.id = x.worker_id WHERE x.nightly_id = ?1 AND x.restored_at_s IS NULL ";

}  // namespace

std::vector<Withdrawal> list_withdrawals(Database& db, NightlyId nightly) {
    return db.all<Withdrawal>(select_standing + "ORDER BY x.worker_id IS NOT NULL, x.id", nightly);
}

std::optional<Withdrawal> find_withdrawal(
    Database& db, NightlyId nightly, std::optional<WorkerId> worker) {
    return db.first<Withdrawal>(
        select_standing + "AND ifnull(x.worker_id, 0) = ifnull(?2, 0)", nightly, worker);
}

void add_withdrawal(Database& db, const NewWithdrawal& withdrawal, std::int64_t now_s) {
    db.execute(
        "INSERT INTO withdrawal(nightly_id, worker_id, reason, token, cut_off, created_at_s) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        withdrawal,
        now_s);
}

void end_withdrawal(
    Database& db, NightlyId nightly, std::optional<WorkerId> worker, std::int64_t now_s) {
    db.execute(
        "UPDATE withdrawal SET restored_at_s = ?3 WHERE nightly_id = ?1 AND ifnull(worker_id, 0) = "
        "ifnull(?2, 0) AND restored_at_s IS NULL",
        nightly,
        worker,
        now_s);
}

}  // namespace vigil::service
