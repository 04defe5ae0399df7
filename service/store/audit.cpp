#include "service/store/audit.hpp"

namespace vigil::service {

void add_audit(Database& db, const AuditRow& row) {
    db.execute(
        "INSERT INTO audit(at_s, who, address, action, object, reason, asked, request_id, "
        "token_id) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        row.at_s,
        row.who,
        row.address,
        row.action,
        row.object,
        row.reason,
        row.asked,
        row.request_id,
        row.token);
}

void forget_audit(Database& db, std::int64_t before_s, std::int64_t most) {
    db.execute("DELETE FROM audit WHERE at_s < ?1", before_s);
    db.execute("DELETE FROM audit WHERE id <= (SELECT max(id) FROM audit) - ?1", most);
}

}  // namespace vigil::service
