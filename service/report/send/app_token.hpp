#pragma once

#include <cstdint>
#include <string>

#include "service/config/config.hpp"

namespace vigil::service {

/// What a GitHub App shows to get a token: a JWT, good from a minute ago for nine minutes more. A
/// pure function. @param private_key  PEM of RSA
/// @throws Error{invalid_argument} when the key is none
std::string app_jwt(const std::string& app_id, const std::string& private_key, std::int64_t now_s);

/// The token that a target's requests carry: what its file holds, or that of its app, which is
/// asked for where none is known that lasts five minutes more. What is known is known on this
/// thread. Blocks. @throws Error  it cannot be had, and why
std::string tracker_token(const ReportTarget& target, std::int64_t now_s);

/// The tracker did not take the token: the next one is a new one.
void forget_token(const ReportTarget& target);

}  // namespace vigil::service
