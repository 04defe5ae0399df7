#include "service/store/tokens.hpp"

#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"

namespace vigil::service {

std::string create_token(
    Database& db,
    std::string_view name,
    Scopes scopes,
    std::int64_t now_s,
    std::optional<std::int64_t> expires_at_s,
    const std::optional<std::vector<std::string>>& projects) {
    const bool there = db.has(
        "SELECT 1 FROM token WHERE name = ?1 AND revoked_at_s IS NULL "
        "AND (expires_at_s IS NULL OR expires_at_s > ?2)",
        name,
        now_s);
    if (there) {
        throw Error(
            Errc::conflict,
            "there is a token '" + std::string(name) +
                "' already; revoke it first, or choose another name");
    }
    const auto secret = wire::random_hex(32);
    db.execute(  // one that has expired leaves its name
        "UPDATE token SET revoked_at_s = ?2 WHERE name = ?1 AND revoked_at_s IS NULL",
        name,
        now_s);
    db.execute(
        "INSERT INTO token(name, scope, hash, created_at_s, expires_at_s, projects) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        name,
        scopes,
        wire::sha256(secret),
        now_s,
        expires_at_s,
        projects);
    return secret;
}

std::optional<Token> find_token(Database& db, std::string_view secret) {
    return db.first<Token>(
        "SELECT id, name, scope, hash, expires_at_s, used_at_s, projects FROM token "
        "WHERE hash = ?1 AND revoked_at_s IS NULL",
        wire::sha256(secret));
}

std::vector<Token> list_live_tokens(Database& db, int limit) {
    return db.all<Token>(
        "SELECT id, name, scope, hash, expires_at_s, used_at_s, projects FROM token "
        "WHERE revoked_at_s IS NULL ORDER BY id LIMIT ?1",
        limit);
}

bool revoke_token(Database& db, std::string_view name, std::int64_t now_s) {
    const auto changed = db.execute(
        "UPDATE token SET revoked_at_s = ?2 WHERE name = ?1 AND revoked_at_s IS NULL", name, now_s);
    if (changed > 0) return true;
    if (db.find<int>("SELECT 1 FROM token WHERE name = ?1", name)) return false;
    throw Error(Errc::not_found, "there is no token '" + std::string(name) + "'");
}

bool has_live_token(Database& db, std::string_view name) {
    return db.has("SELECT 1 FROM token WHERE name = ?1 AND revoked_at_s IS NULL LIMIT 1", name);
}

void note_token_used(Database& db, TokenId token, std::int64_t now_s) {
    db.execute("UPDATE token SET used_at_s = ?2 WHERE id = ?1", token, now_s);
}

bool has_admin_token(Database& db, std::int64_t now_s) {
    return db.has(
        "SELECT 1 FROM token WHERE instr(scope, 'admin') > 0 AND revoked_at_s IS NULL "
        "AND (expires_at_s IS NULL OR expires_at_s > ?1) LIMIT 1",
        now_s);
}

}  // namespace vigil::service
