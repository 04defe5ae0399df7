#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "schema/http/message.hpp"

namespace vigil::service {

/// The part of a file that a `Range` names, cut to the file's end. A pure function.
/// @return  nothing: the whole file is sent, since the field has several ranges, is none of bytes,
///          or lies outside of the file
/// @source  RFC 9110, section 14: a server may ignore the field
std::optional<http::FilePart> find_range(std::string_view field, std::uint64_t file_bytes);

/// Makes a reply whose body is a file of this size answer the request's `Range` with 206, unless
/// the client has the file already (`If-None-Match`), or its part is of another one (`If-Range`).
/// @param response  200 with its ETag
void apply_range(const http::Request& request, http::Response& response, std::uint64_t file_bytes);

}  // namespace vigil::service
