#include "service/http/idempotency.hpp"

#include "schema/wire/digest.hpp"
#include "service/api/audit.hpp"
#include "service/api/common/tags.hpp"
#include "service/http/conditions.hpp"
#include "service/http/router.hpp"
#include "service/store/work/kept_replies.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_key_bytes = 100;

http::Response answer_again(
    const KeptReply& kept, const Digest& body, const Route& route, const std::string& path) {
    if (kept.request != body) {
        return http::problem_response(
            422,
            "this Idempotency-Key came with another body before; take a new key for a new change",
            path);
    }
    if (route.reply == Reply::secret) {
        return http::problem_response(
            409, "this was done before; what it answered is a secret, and is shown once", path);
    }
    auto response = http::json_response(kept.body, kept.status);
    if (kept.body.empty()) response.headers.clear();
    response.headers["idempotency-replayed"] = "true";
    return response;
}

http::Response no_tag(const std::string& path) {
    return http::problem_response(
        412, "nothing here has a tag that If-Match could name; leave it out", path);
}

/// The thing that a change is of: what the GET that its route names shows, or one of its path, or
/// of the path around it.
Match thing_of(const Route& route, const http::Request& request) {
    std::string path(route.thing.empty() ? request.path : route.thing);
    for (auto at = path.find('{'); at != path.npos; at = path.find('{', at)) {
        const auto name = path.substr(at + 1, path.find('}', at) - at - 1);
        path.replace(at, name.size() + 2, request.parameters.at(name));
    }
    auto match = match_route(all_routes(), "GET", path);
    if (match.route != nullptr || !route.thing.empty()) return match;
    path.resize(path.rfind('/'));
    return match_route(all_routes(), "GET", path);
}

/// 412 where the thing is no longer as `If-Match` names it.
std::optional<http::Response> refuse_changed(
    const Route& route, const http::Request& request, Database& db, const HandlerContext& context) {
    const auto wanted = request.header("if-match");
    if (!wanted) return std::nullopt;
    auto match = thing_of(route, request);
    if (match.route == nullptr || match.route->handler == nullptr) return no_tag(request.path);
    http::Request shown;
    shown.method = "GET";
    shown.path = request.path;
    shown.parameters = std::move(match.parameters);
    shown.caller = request.caller;
    auto response = answer_of(*match.route, shown, db, context);
    apply_conditions(shown, response);
    if (names_seen(*wanted, response.headers.at("etag"))) return std::nullopt;
    return http::problem_response(
        412, "it changed since it was read; read it again, and decide by that", request.path);
}

/// Change and row of the audit log are one transaction: the writer's around both.
http::Response change_ledger(
    const Route& route, const http::Request& request, Database& db, const HandlerContext& context) {
    if (auto refusal = refuse_changed(route, request, db, context)) return *std::move(refusal);
    auto response = answer_of(route, request, db, context);
    if (is_audited(route) && response.ok()) note_audit(db, route, request, response, context.now_s);
    return response;
}

}  // namespace

std::optional<http::Response> refuse_tagless(const Route& route, const http::Request& request) {
    if (route.method == "GET" || route.place == WorkPlace::writer) return std::nullopt;
    if (!request.header("if-match")) return std::nullopt;
    return no_tag(request.path);
}

http::Response answer_once(
    const Route& route, const http::Request& request, Database& db, const HandlerContext& context) {
    const auto given = request.header("idempotency-key");
    if (!given || !request.caller) return change_ledger(route, request, db, context);
    if (given->empty() || given->size() > max_key_bytes) {
        throw Error(
            Errc::invalid_argument,
            "the Idempotency-Key must have 1.." + std::to_string(max_key_bytes) + " characters");
    }
    const auto key =
        request.caller->key() + " " + std::string(route.method) + " " + request.path + " " + *given;
    const auto body = wire::sha256(request.body);
    if (const auto kept = find_kept_reply(db, key)) {
        return answer_again(*kept, body, route, request.path);
    }
    auto response = change_ledger(route, request, db, context);
    if (!response.ok()) return response;  // 412: nothing was done
    const bool shown = route.reply != Reply::secret;
    keep_reply(db, key, {body, response.status, shown ? response.body : ""}, context.now_s);
    return response;
}

}  // namespace vigil::service
