#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"

// What was answered to a request with an Idempotency-Key, so that a client that lost the answer
// may ask again without anything happening twice. In the same transaction as what the request did.

namespace vigil::service {

/// An answer that was given.
struct KeptReply {
    int status = 0;
    std::string body;
};

/// How long an answer is kept, in steady time.
constexpr std::int64_t keep_reply_s = 7 * 24 * 3600;

/// The answer that this request got before; nullopt: it is new, do it.
/// @param key      token name, route and the client's key: keys of two clients never meet
/// @param request  digest of the request's body
/// @throws Error{conflict} when the key came with another request before
std::optional<KeptReply> find_reply(Database& db, std::string_view key, const Digest& request);

void keep_reply(
    Database& db,
    std::string_view key,
    const Digest& request,
    const KeptReply& reply,
    std::int64_t steady_s);

/// Forgets answers older than keep_reply_s. @return how many
int forget_old_replies(Database& db, std::int64_t steady_s);

}  // namespace vigil::service
