#include "service/store/tokens.hpp"

#include <optional>

#include <nlohmann/json.hpp>

#include "schema/model/states.hpp"
#include "schema/wire/json.hpp"
#include "schema/wire/object_reader.hpp"
#include "service/api/common/handlers.hpp"
#include "service/store/events.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_token_name_bytes = 100;

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

}  // namespace

http::Response post_token(
    const http::Request& request, Database& db, const HandlerContext& context) {
    check_query(request, {});
    const auto body = wire::parse_json(request.body, "the body");
    wire::ObjectReader reader(body, "body");
    const auto name = reader.text("name", max_token_name_bytes);
    const auto scopes = scopes_in(reader);
    const auto expires_at_s = find_coming_time(reader, "expires_at", context.now_s);
    reader.done();
    if (!is_plain_name(name)) {
        throw Error(
            Errc::invalid_argument, "body.name must be made of letters, digits, '-', '_' and '.'");
    }
    const auto secret = create_token(db, name, scopes, context.now_s, expires_at_s);
    const auto words =
        request.caller->name + " made the token " + name + " of scope " + to_string(scopes);
    record_event(db, context.now_s, "token.created", std::nullopt, "token/" + name, words);
    nlohmann::json reply = {
        {"name", name},
        {"scope", to_string(scopes)},
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
