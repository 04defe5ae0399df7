#include "service/api/audit.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "schema/text/characters.hpp"
#include "schema/text/nearest.hpp"
#include "schema/wire/json.hpp"
#include "service/api/common/listing.hpp"
#include "service/store/audit.hpp"
#include "service/store/lists/lists.hpp"

namespace vigil::service {

namespace {

constexpr std::string_view api_root = "/api/v1/";
constexpr std::size_t max_read_bytes = 65'536;  // of a body: reasons stand in short ones
constexpr std::size_t max_requested_bytes = 2000;

std::vector<std::string> segments_of(std::string_view path) {
    path.remove_prefix(path.starts_with(api_root) ? api_root.size() : 1);  // a page's: the slash
    std::vector<std::string> segments;
    while (!path.empty()) {
        const auto end = std::min(path.find('/'), path.size());
        segments.emplace_back(path.substr(0, end));
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return segments;
}

/// One of "regressions": "regression".
std::string one_of_many(const std::string& collection) {
    if (collection == "series" || !collection.ends_with('s')) return collection;
    return collection.substr(0, collection.size() - 1);
}

std::string object_of(
    const Route& route, const http::Request& request, const http::Response& response) {
    const auto segments = segments_of(route.pattern);
    for (std::size_t at = segments.size(); at-- > 1;) {
        const auto& name = segments[at];
        if (!name.starts_with('{')) continue;
        return one_of_many(segments[at - 1]) + "/" +
               request.parameters.at(name.substr(1, name.size() - 2));
    }
    const auto location = response.headers.find("location");
    if (location == response.headers.end()) return one_of_many(segments.front());
    const auto made = segments_of(location->second);
    return made.size() < 2 ? location->second : one_of_many(made[0]) + "/" + made[1];
}

/// The reason that a body gives, and the rest of it as JSON.
std::pair<std::string, std::string> split_body(const std::string& body) {
    if (body.empty() || body.size() > max_read_bytes) return {"", "{}"};
    try {
        auto asked = wire::parse_json(body, "the body");
        if (!asked.is_object()) return {"", "{}"};
        const auto given = asked.find("reason");
        std::string reason;
        if (given != asked.end() && given->is_string()) {
            reason = text::first_bytes(given->get<std::string>(), max_reason_bytes);
            asked.erase(given);
        }
        auto rest = wire::write_json(asked);
        return {reason, rest.size() <= max_requested_bytes ? rest : "{}"};
    } catch (const Error&) {
        return {"", "{}"};  // its route did not read it either
    }
}

}  // namespace

bool is_audited(const Route& route) {
    switch (route.access) {
        case Access::everyone:
        case Access::worker:
        case Access::transfer: return false;
        default: return route.method != "GET";
    }
}

std::string action_of(const Route& route) {
    const auto segments = segments_of(route.pattern);
    const auto& last = segments.back();
    const bool names_verb = segments.size() > 2 && !last.starts_with('{');
    std::string verb = route.method == "DELETE" ? "remove" : route.method == "POST" ? "add" : "set";
    if (names_verb) verb = last;
    return one_of_many(segments.front()) + "." + verb;
}

void note_audit(
    Database& db,
    const Route& route,
    const http::Request& request,
    const http::Response& response,
    std::int64_t now_s) {
    auto [reason, asked] = split_body(request.body);
    add_audit(
        db,
        {now_s,
         request.caller ? request.caller->name : "",
         request.address,
         action_of(route),
         object_of(route, request, response),
         std::move(reason),
         std::move(asked),
         request.id,
         request.caller ? std::optional(request.caller->id) : std::nullopt});
}

http::Response list_audit(
    const http::Request& request, Database& db, const HandlerContext& context) {
    if (const auto action = text_filter(request, "action")) {
        std::vector<std::string> actions;
        for (const auto& route : all_routes()) {
            if (is_audited(route)) actions.push_back(action_of(route));
        }
        if (std::find(actions.begin(), actions.end(), *action) == actions.end()) {
            throw Error(
                Errc::invalid_argument,
                "query parameter action: there is no action \"" + *action + "\"" +
                    text::did_you_mean(*action, actions));
        }
    }
    return list_response(request, db, context, lists::audit);
}

}  // namespace vigil::service
