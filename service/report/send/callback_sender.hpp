#pragma once

#include <cstdint>
#include <string>

#include "service/config/config.hpp"
#include "service/report/send/attempt_rules.hpp"

namespace vigil::service {

/// Asks who measures a project elsewhere for runs. Blocks for half a minute at most, and throws for
/// nothing that files, networks or receivers do: the reply says it. Asking twice does no harm.
/// - webhook: a POST of `body`, with its HMAC-SHA256 in X-Vigil-Signature-256 ("sha256=HEX")
/// - github: an event `vigil-measure` of repository_dispatch, whose client_payload is `body`
/// @param body   a JSON object of at most ten keys
/// @param now_s  UTC
SendReply send_callback(const CallbackConfig& to, const std::string& body, std::int64_t now_s);

}  // namespace vigil::service
