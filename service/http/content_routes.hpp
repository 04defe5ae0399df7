#pragma once

#include <boost/asio/awaitable.hpp>

#include "schema/http/message.hpp"
#include "service/http/core.hpp"

namespace vigil::service {

/// The file of a digest, whole or a part. It never changes, so caches may keep it; what they hand
/// to others they have to ask for each time (deploy/nginx). @throws Error{not_found}
boost::asio::awaitable<http::Response> get_content(ServerCore& core, const http::Request& request);

/// Adopts a received file and notes it. @throws as ContentStore::adopt
boost::asio::awaitable<http::Response> put_content(ServerCore& core, const http::Request& request);

}  // namespace vigil::service
