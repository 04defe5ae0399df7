#include "service/store/work/kept_replies.hpp"

namespace vigil::service {

std::optional<KeptReply> find_kept_reply(Database& db, std::string_view key) {
    return db.first<KeptReply>(
        "SELECT request_digest, status, body FROM idempotency WHERE key = ?1", key);
}

void keep_reply(Database& db, std::string_view key, const KeptReply& reply, std::int64_t now_s) {
    db.execute(
        "INSERT INTO idempotency(key, request_digest, status, body, created_at_s) "
        "VALUES (?1, ?2, ?3, ?4, ?5)",
        key,
        reply.request,
        reply.status,
        reply.body,
        now_s);
}

void forget_replies(Database& db, std::int64_t before_s) {
    db.execute("DELETE FROM idempotency WHERE created_at_s < ?1", before_s);
}

}  // namespace vigil::service
