#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"

// Table `idempotency`: what was answered to changes that came with a key of the client's, so that
// the same request again changes nothing.

namespace vigil::service {

struct KeptReply {
    Digest request;  ///< of the body that was answered
    int status = 0;
    std::string body;  ///< empty of a reply with a secret: those are not kept
};

/// @param key  names caller, route and the client's key
std::optional<KeptReply> find_kept_reply(Database& db, std::string_view key);

void keep_reply(Database& db, std::string_view key, const KeptReply& reply, std::int64_t now_s);

/// Forgets what was answered before `before_s`.
void forget_replies(Database& db, std::int64_t before_s);

}  // namespace vigil::service
