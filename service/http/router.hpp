#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "schema/http/message.hpp"
#include "service/api/route.hpp"

namespace vigil::service {

/// What a method and path lead to.
struct Match {
    const Route* route = nullptr;  ///< null: no route, or none for this method
    std::map<std::string, std::string> parameters;
    std::string allow;  ///< methods of the path when only the method is wrong, "GET, HEAD"
};

/// Finds the route of a request: plain segments must be equal, "{name}" takes any one segment.
/// Where both fit, the plain one wins. A pure function of its arguments.
/// @param path  decoded, as from http::parse_target
Match match_route(std::span<const Route> routes, std::string_view method, std::string_view path);

/// What a request is told that no route takes: OPTIONS what the path takes, others 404 or 405.
http::Response answer_unrouted(
    const Match& match, const std::string& method, const std::string& path);

}  // namespace vigil::service
