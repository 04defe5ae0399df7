#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <boost/asio/awaitable.hpp>

#include "schema/http/message.hpp"
#include "service/http/core.hpp"

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

/// The file of a digest, whole or a part. It never changes, so caches may keep it; what they hand
/// to others they have to ask for each time (deploy/nginx). With ?redirect=true it may be 307 to
/// the object store. @throws Error{not_found}
boost::asio::awaitable<http::Response> get_content(ServerCore& core, const http::Request& request);

/// Adopts a received file and notes it. @throws as ContentStore::adopt
boost::asio::awaitable<http::Response> put_content(ServerCore& core, const http::Request& request);

}  // namespace vigil::service
