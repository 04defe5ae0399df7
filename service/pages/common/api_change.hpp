#pragma once

#include <string_view>

#include "schema/http/message.hpp"
#include "service/api/common/context.hpp"

namespace vigil::service {

/// Carries out a change as the API does: by the handler of its route, with its row of the audit
/// log. For forms that answer with another page, or make several changes.
/// @param pattern  of a POST route of the API
/// @param request  as the API would get it: parameters, caller, body
/// @throws Error where the API refuses
http::Response change_by_api(
    std::string_view pattern,
    const http::Request& request,
    Database& db,
    const HandlerContext& context);

}  // namespace vigil::service
