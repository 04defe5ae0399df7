#include "service/http/router.hpp"

#include <optional>
#include <set>
#include <utility>

namespace vigil::service {

namespace {

std::string_view take_segment(std::string_view& path) {
    path.remove_prefix(1);  // the slash
    const auto segment = path.substr(0, path.find('/'));
    path.remove_prefix(segment.size());
    return segment;
}

using Parameters = std::map<std::string, std::string>;

std::optional<Parameters> match_pattern(std::string_view pattern, std::string_view path) {
    Parameters parameters;
    while (!pattern.empty() && !path.empty()) {
        const auto expected = take_segment(pattern);
        const auto segment = take_segment(path);
        if (expected.starts_with('{')) {
            if (segment.empty()) return std::nullopt;
            parameters[std::string(expected.substr(1, expected.size() - 2))] = segment;
        } else if (expected != segment) {
            return std::nullopt;
        }
    }
    if (!pattern.empty() || !path.empty()) return std::nullopt;
    return parameters;
}

}  // namespace

Match match_route(std::span<const Route> routes, std::string_view method, std::string_view path) {
    Match match;
    std::set<std::string, std::less<>> allowed;
    for (const auto& route : routes) {
        auto parameters = match_pattern(route.pattern, path);
        if (!parameters) continue;
        allowed.emplace(route.method);
        if (route.method == "GET") allowed.emplace("HEAD");
        const bool fits = route.method == method || (method == "HEAD" && route.method == "GET");
        if (!fits || (match.route != nullptr && match.parameters.size() <= parameters->size())) {
            continue;
        }
        match.route = &route;
        match.parameters = std::move(*parameters);
    }
    if (match.route != nullptr) return match;
    for (const auto& name : allowed) match.allow += (match.allow.empty() ? "" : ", ") + name;
    return match;
}

http::Response answer_unrouted(
    const Match& match, const std::string& method, const std::string& path) {
    if (match.allow.empty()) return http::problem_response(404, "there is no such path", path);
    const auto allow = match.allow + ", OPTIONS";
    http::Response response;
    response.status = 204;
    if (method != "OPTIONS") {
        response =
            http::problem_response(405, "this path takes " + allow + ", not " + method, path);
    }
    response.headers["allow"] = allow;
    return response;
}

}  // namespace vigil::service
