#include "service/store/tokens.hpp"

#include <optional>

#include <nlohmann/json.hpp>

#include "schema/model/states.hpp"
#include "schema/text/lines.hpp"
#include "schema/text/nearest.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "service/api/common/handlers.hpp"
#include "service/store/events.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_token_name_bytes = 100;
constexpr std::size_t max_projects = 1000;  // of one token

bool is_plain_name(const std::string& name) {
    static constexpr std::string_view marks = "-_.";
    for (const char c : name) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool digit = c >= '0' && c <= '9';
        if (!letter && !digit && marks.find(c) == marks.npos) return false;
    }
    return !name.empty();
}

/// "read,triage" as it is given.
Scopes scopes_in(wire::ObjectReader& reader) {
    try {
        return parse_scopes(reader.text("scope", max_token_name_bytes));
    } catch (const Error& error) {
        throw Error(error.code(), reader.path("scope") + ": " + error.what());
    }
}

/// The projects that a token is to be for.
/// @throws Error{invalid_argument} where it sends nothing, may do more, or there is no such project
std::optional<std::vector<std::string>> projects_in(
    wire::ObjectReader& reader, Scopes scopes, const Config& config) {
    if (!reader.has("projects")) return std::nullopt;
    const auto refuse = [&](const std::string& why) {
        throw Error(Errc::invalid_argument, reader.path("projects") + ": " + why);
    };
    auto names = reader.texts("projects", max_projects);
    if (names.empty()) refuse("it names none; leave it out where the token is for all");
    if (scopes != Scope::ingest && scopes != Scopes{Scope::read, Scope::ingest}) {
        refuse(
            "it says whose results scope ingest may send, so it goes with the scopes ingest and "
            "read,ingest alone; make a token of its own for scope " +
            to_string(scopes));
    }
    std::vector<std::string> known;
    for (const auto& [name, project] : config.projects) known.push_back(name);
    for (const auto& name : names) {
        if (config.projects.contains(name)) continue;
        refuse(
            "the config has no project \"" + text::one_line(name, 80) + "\"" +
            text::did_you_mean(name, known));
    }
    return names;
}

}  // namespace

http::Response post_token(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const auto body = wire::parse_json(request.body, "the body");
    wire::ObjectReader reader(body, "body");
    const auto name = reader.text("name", max_token_name_bytes);
    const auto scopes = scopes_in(reader);
    const auto expires_at_s = find_coming_time(reader, "expires_at", context.now_s);
    const auto projects = projects_in(reader, scopes, context.config);
    reader.done();
    if (!is_plain_name(name)) {
        throw Error(
            Errc::invalid_argument, "body.name must be made of letters, digits, '-', '_' and '.'");
    }
    const auto secret = create_token(db, name, scopes, context.now_s, expires_at_s, projects);
    const auto words = request.caller->name + " made the token " + name + " of scope " +
                       to_string(scopes) + (projects ? " for " + text::joined(*projects) : "");
    record_event(db, context.now_s, "token.created", std::nullopt, "token/" + name, words);
    nlohmann::json reply = {
        {"name", name},
        {"scope", to_string(scopes)},
        {"projects", projects ? nlohmann::json(*projects) : nlohmann::json()},
        {"expires_at_s", or_null(expires_at_s)},
        {"secret", secret}};
    auto response = object_response(std::move(reply), 201);
    response.headers["location"] = "/api/v1/tokens/" + name;
    return response;
}

http::Response delete_token(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const auto& name = request.parameters.at("name");
    if (name == request.caller->name) {
        throw Error(Errc::conflict, "a token cannot revoke itself; use another admin token");
    }
    if (revoke_token(db, name, context.now_s)) {
        const auto words = request.caller->name + " revoked the token " + name;
        record_event(db, context.now_s, "token.revoked", std::nullopt, "token/" + name, words);
    }
    http::Response response;
    response.status = 204;
    return response;
}

}  // namespace vigil::service
