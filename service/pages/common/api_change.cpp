#include "service/pages/common/api_change.hpp"

#include <algorithm>

#include "schema/model/error.hpp"
#include "service/api/audit.hpp"

namespace vigil::service {

http::Response change_by_api(
    std::string_view pattern,
    const http::Request& request,
    Database& db,
    const HandlerContext& context) {
    const auto routes = all_routes();
    const auto found = std::ranges::find_if(routes, [&](const Route& route) {
        return route.method != "GET" && route.pattern == pattern;
    });
    VIGIL_ASSERT(found != routes.end() && found->handler != nullptr);
    auto response = answer_of(*found, request, db, context);
    note_audit(db, *found, request, response, context.now_s);
    return response;
}

}  // namespace vigil::service
