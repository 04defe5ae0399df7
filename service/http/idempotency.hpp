#pragma once

#include <optional>

#include "schema/http/message.hpp"
#include "service/api/route.hpp"

namespace vigil::service {

/// How long a reply is kept for the same request again.
constexpr std::int64_t replies_kept_s = 86'400;

/// Makes a change of the ledger once for each Idempotency-Key of a caller. The same key with the
/// same body returns the first reply, with `Idempotency-Replayed: true`, and changes nothing. The
/// change, its reply and its entry in the audit log are one transaction. The reply to a refused
/// change is not kept, so the caller can try again. Without a key the change is always made.
/// @throws Error{invalid_argument} when the key is empty or too long; whatever the handler throws
/// @return  the handler's reply; 412 when `If-Match` names another version; 422 when the key came
///          with another body before; 409 when the first reply held a secret, which is shown once
http::Response answer_once(
    const Route& route, const http::Request& request, Database& db, const HandlerContext& context);

/// 412 when a request of a worker, a harness or GitHub has `If-Match`: nothing that they change has
/// a tag. `answer_once` checks all other changes.
std::optional<http::Response> refuse_tagless(const Route& route, const http::Request& request);

}  // namespace vigil::service
