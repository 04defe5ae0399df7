#pragma once

#include <optional>

#include "schema/http/message.hpp"
#include "service/config/config.hpp"

namespace vigil::service {

/// Checks a webhook's signature over its raw body, in constant time, with the secret of the config.
/// Reads the secret's file, so that it can be changed without a restart.
/// @return  nothing when it is GitHub's; 401 when it is not; 404 when the config has no webhook
/// @throws  Error{internal} when the secret's file cannot be read or is empty
std::optional<http::Response> refuse_signature(const http::Request& request, const Config& config);

}  // namespace vigil::service
