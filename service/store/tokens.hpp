#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/states.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"

// Bearer tokens: the ledger holds their SHA-256 only.

namespace vigil::service {

struct Token {
    TokenId id;
    std::string name;
    Scope scope = Scope::read;
    Digest secret_digest;
};

/// Makes a token of 32 random bytes. @return the secret, shown this once
/// @throws Error{conflict} when a token of that name exists and is not revoked
std::string create_token(Database& db, std::string_view name, Scope scope, std::int64_t now_s);

std::optional<Token> find_token(Database& db, std::string_view secret);

/// Tokens that are not revoked, oldest first.
std::vector<Token> list_live_tokens(Database& db, int limit);

/// @return  false: it was revoked before
/// @throws Error{not_found} when there was never one of this name
bool revoke_token(Database& db, std::string_view name, std::int64_t now_s);

bool has_admin_token(Database& db);

}  // namespace vigil::service
