#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

// The coding gzip (RFC 1952). Pure functions; a long body takes its time.

namespace vigil::http {

std::string gzip(std::string_view bytes);

/// @return  nothing when it unpacks to more than `most` bytes
/// @throws  Error{invalid_argument} when it is no gzip, is cut, or something stands behind it
std::optional<std::string> gunzip(std::string_view packed, std::size_t most);

}  // namespace vigil::http
