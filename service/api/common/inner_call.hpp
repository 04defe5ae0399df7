#pragma once

#include <map>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "schema/http/message.hpp"
#include "service/api/common/context.hpp"

// What one answer of ours is made of others: a handler is asked for its document, whatever form the
// outer request wants.

namespace vigil::service {

/// The same reader's request of something of the API, without headers.
http::Request api_request(
    const http::Request& request,
    const std::map<std::string, std::string>& query,
    const std::map<std::string, std::string>& parameters);

/// The document that a handler of the API answers with.
/// @param query  instead of the request's own; its "format" counts for nothing
nlohmann::json read_api(
    Handler handler,
    const http::Request& request,
    Database& db,
    const HandlerContext& context,
    const std::map<std::string, std::string>& query,
    const std::map<std::string, std::string>& parameters);

}  // namespace vigil::service
