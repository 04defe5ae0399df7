#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "schema/http/message.hpp"

namespace vigil::service {

/// What a form needs that asks for a measurement: {"key": ...}; null where the reader's token may
/// not ask (scope trigger), or came without a cookie.
nlohmann::json ask_key(const http::Request& request);

/// The address of the page where a reader signs in and comes back to this one.
std::string sign_in_address(const http::Request& request);

}  // namespace vigil::service
