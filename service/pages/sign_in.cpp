#include <nlohmann/json.hpp>

#include "schema/http/target.hpp"
#include "schema/wire/json.hpp"
#include "service/pages/common/cookie.hpp"
#include "service/pages/common/form.hpp"
#include "service/pages/common/page.hpp"
#include "service/pages/common/pages.hpp"

namespace vigil::service {

namespace {

/// A page of ours to go on with; the first one where a text names none.
std::string page_of(const std::string& text) {
    return http::parse_target(text) ? text : "/";
}

http::Response sign_in_page(
    const http::Request& request, const std::string& next, const std::string& why, int status) {
    nlohmann::json view = {
        {"title", "Sign in"},
        {"key", form_key(request.headers)},
        {"next", page_of(next)},
        {"refused", nullptr}};
    if (!why.empty()) view["refused"] = {{"why", why}};
    return page_response(request, "sign_in.html", std::move(view), Shows::words, status);
}

}  // namespace

http::Response get_sign_in_page(const http::Request& request, Database&, const HandlerContext&) {
    const auto next = request.query.find("next");
    return sign_in_page(request, next == request.query.end() ? "" : next->second, "", 200);
}

http::Response post_sign_in(
    const http::Request& request, Database&, const HandlerContext& context) {
    const auto sent = wire::parse_json(request.body, "the form");
    const auto next = sent.value("next", "/");
    const auto& caller = request.caller;
    if (!caller || (caller->expires_at_s && *caller->expires_at_s <= context.now_s)) {
        auto guest = request;
        guest.caller.reset();
        return sign_in_page(guest, next, "This token is not known, or it has ended.", 401);
    }
    if (!caller->scopes.may(Scope::read)) {
        return sign_in_page(
            request, next, "This token may not read: pages ask for the scope read.", 403);
    }
    auto response = see_other(page_of(next));
    response.headers["set-cookie"] = cookie_that_keeps(sign_in_secret(request), context.config);
    return response;
}

http::Response post_sign_out(const http::Request&, Database&, const HandlerContext&) {
    auto response = see_other("/login");
    response.headers["set-cookie"] = cookie_that_forgets();
    return response;
}

}  // namespace vigil::service
