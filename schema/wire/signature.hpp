#pragma once

#include <string>
#include <string_view>

namespace vigil::wire {

/// RS256 of RFC 7518: the RSA signature of the SHA-256 of `bytes`.
/// @param private_key  PEM, without a password
/// @return  the signature's bytes
/// @throws Error{invalid_argument} when the key is none, or not of RSA
std::string sign_rs256(std::string_view private_key, std::string_view bytes);

}  // namespace vigil::wire
