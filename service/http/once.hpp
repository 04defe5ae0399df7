#pragma once

#include <optional>

#include "schema/http/message.hpp"
#include "service/api/route.hpp"

namespace vigil::service {

/// How long a reply is kept for the same request again.
constexpr std::int64_t replies_kept_s = 86'400;

/// Carries out a change on the ledger once for each Idempotency-Key of a caller: the same key and
/// body again get the reply that was given, with `Idempotency-Replayed: true`, and change nothing.
/// Change and kept reply are one transaction, so there is no time at which only one of them is
/// there; a change that was refused is not kept, and may be tried again. Without a key it is just
/// carried out. What is carried out stands in the audit log, in the same transaction.
/// @throws Error{invalid_argument} when the key is empty or too long; whatever the handler throws
/// @return  412 where the thing is not as `If-Match` names it; 422 where the key came with another
/// body before; 409 where the reply held a secret,
///          which is shown once
http::Response answer_once(
    const Route& route, const http::Request& request, Database& db, const HandlerContext& context);

/// 412 where `If-Match` comes with a change of what has no tag: what workers, other harnesses and
/// GitHub send. `answer_once` looks after all others.
std::optional<http::Response> refuse_tagless(const Route& route, const http::Request& request);

}  // namespace vigil::service
