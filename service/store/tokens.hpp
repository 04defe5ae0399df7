#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/scopes.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"
#include "service/store/json_columns.hpp"

// Bearer tokens: the ledger holds their SHA-256 only. A token is known by its id. A name is free
// again when its token was revoked or has expired, and the next token of that name is another one.

namespace vigil::service {

struct Token {
    TokenId id;
    std::string name;
    Scopes scopes;
    Digest secret_digest;
    std::optional<std::int64_t> expires_at_s;
    std::optional<std::int64_t> used_at_s;             ///< at most an hour before its last use
    std::optional<std::vector<std::string>> projects;  ///< whose results it may send; nothing: all
};

/// Makes a token of 32 random bytes. @return the secret, shown this once
/// @param expires_at_s  nothing: it ends when it is revoked
/// @param projects      whose results it may send; nothing: those of all
/// @throws Error{conflict} when a token of that name exists that neither is revoked nor has expired
std::string create_token(
    Database& db,
    std::string_view name,
    Scopes scopes,
    std::int64_t now_s,
    std::optional<std::int64_t> expires_at_s = std::nullopt,
    const std::optional<std::vector<std::string>>& projects = std::nullopt);

/// One that is not revoked; it may have expired.
std::optional<Token> find_token(Database& db, std::string_view secret);

/// Tokens that are not revoked, oldest first.
std::vector<Token> list_live_tokens(Database& db, int limit);

/// @return  false: it was revoked before
/// @throws Error{not_found} when there was never one of this name
bool revoke_token(Database& db, std::string_view name, std::int64_t now_s);

/// Whether there is one of this name that was not revoked.
bool has_live_token(Database& db, std::string_view name);

void note_token_used(Database& db, TokenId token, std::int64_t now_s);

/// One that may be used at this time.
bool has_admin_token(Database& db, std::int64_t now_s);

template <>
struct TextColumn<Scopes> {
    static Scopes parse(std::string_view text) { return parse_scopes(text); }
    static std::string text(Scopes scopes) { return to_string(scopes); }
};

}  // namespace vigil::service
