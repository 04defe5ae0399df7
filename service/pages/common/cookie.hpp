#pragma once

#include <optional>
#include <string>

#include "schema/http/message.hpp"
#include "service/config/config.hpp"

// How a browser is signed in: a cookie holds the secret of a token, so that the token's scopes and
// its end are the session's. Pure functions.

namespace vigil::service {

/// The secret that a request's cookie holds; nothing when there is none.
std::optional<std::string> cookie_secret(const http::Headers& headers);

/// The value of Set-Cookie that keeps a secret for thirty days. No script reads it, and no other
/// site's page sends it. Where people come by https, it is sent over https alone.
std::string cookie_that_keeps(const std::string& secret, const Config& config);
std::string cookie_that_forgets();

/// What a form of a signed-in person carries, and nobody else can know; empty without a cookie.
std::string form_key(const http::Headers& headers);

}  // namespace vigil::service
