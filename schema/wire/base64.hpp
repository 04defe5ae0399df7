#pragma once

#include <string>
#include <string_view>

// Bytes as text, RFC 4648. Pure functions.

namespace vigil::wire {

/// With padding, on one line.
std::string base64(std::string_view bytes);

/// For addresses: "-" and "_" in place of "+" and "/", no padding.
std::string base64_url(std::string_view bytes);

}  // namespace vigil::wire
