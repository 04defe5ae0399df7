#include "service/store/idempotency.hpp"

namespace vigil::service {

std::optional<KeptReply> find_reply(Database& db, std::string_view key, const Digest& request) {
    auto rows =
        db.query("SELECT request_digest, status, body FROM idempotency WHERE key = ?1", key);
    if (!rows.next()) return std::nullopt;
    if (rows.get<Digest>(0) != request) {
        throw Error(
            Errc::conflict,
            "this Idempotency-Key came with another request before; take a new key for a new "
            "request");
    }
    return KeptReply{rows.get<int>(1), rows.get<std::string>(2)};
}

void keep_reply(
    Database& db,
    std::string_view key,
    const Digest& request,
    const KeptReply& reply,
    std::int64_t steady_s) {
    db.execute(
        "INSERT INTO idempotency(key, request_digest, status, body, created_at_s) "
        "VALUES (?1, ?2, ?3, ?4, ?5)",
        key,
        request,
        reply.status,
        reply.body,
        steady_s);
}

int forget_old_replies(Database& db, std::int64_t steady_s) {
    const auto forgotten =
        db.execute("DELETE FROM idempotency WHERE created_at_s < ?1", steady_s - keep_reply_s);
    return static_cast<int>(forgotten);
}

}  // namespace vigil::service
