#include "service/pages/common/form.hpp"

#include <nlohmann/json.hpp>

#include "schema/http/target.hpp"
#include "schema/text/capital.hpp"
#include "schema/wire/digest.hpp"
#include "schema/wire/json.hpp"
#include "service/pages/common/cookie.hpp"
#include "service/pages/common/page.hpp"

namespace vigil::service {

namespace {

constexpr const char* key_field = "key";

std::string_view authority_of(std::string_view url) {
    const auto scheme = url.find("://");
    if (scheme == url.npos) return {};
    url.remove_prefix(scheme + 3);
    return url.substr(0, url.find('/'));
}

/// Browsers say where a form was sent from; what says nothing is none.
bool is_from_external(const http::Request& request, const Config& config) {
    if (const auto site = request.header("sec-fetch-site")) {
        return *site != "same-origin" && *site != "none";
    }
    const auto origin = request.header("origin");
    if (!origin) return false;
    const auto from = authority_of(*origin);
    return from.empty() || (from != request.header("host").value_or("") &&
                            from != authority_of(config.links.public_url));
}

bool is_html_wanted(const http::Request& request) {
    return request.header("accept").value_or("").find("text/html") != std::string::npos;
}

/// What a program is told begins small and has no end.
std::string sentence_of(std::string words) {
    if (!words.empty() && words.back() != '.') words += '.';
    return text::with_capital(std::move(words));
}

http::Response problem_page(const http::Request& request, const http::Response& response) {
    const auto problem = wire::parse_json(response.body, "a problem of ours");
    nlohmann::json view = {
        {"title", problem.at("title")},
        {"detail", sentence_of(problem.at("detail").get<std::string>())},
        {"status", problem.at("status")},
        {"back", nullptr}};
    if (request.method == "POST") {
        view["back"] = {{"href", request.path.substr(0, request.path.rfind('/'))}};
    }
    auto page =
        page_response(request, "problem.html", std::move(view), Shows::words, response.status);
    for (const auto& [name, value] : response.headers) page.headers.emplace(name, value);
    page.headers["cache-control"] = "no-store";
    return page;
}

}  // namespace

std::optional<std::string> refuse_form(const http::Request& request, const Config& config) {
    if (is_from_external(request, config)) {
        return "this form was sent by a page of another site; open the page here and send it again";
    }
    const auto key = form_key(request.headers);
    if (key.empty()) return std::nullopt;  // a program, by its token; or nobody yet
    const auto fields = http::parse_form(request.body);
    if (!fields) return std::nullopt;  // form_to_json says so
    const auto sent = fields->find(key_field);
    if (sent != fields->end() && wire::equal_constant_time(sent->second, key)) return std::nullopt;
    return "this form is not of the session that sent it; open the page again";
}

void form_to_json(http::Request& request) {
    const auto fields = http::parse_form(request.body);
    if (!fields) {
        throw Error(Errc::invalid_argument, "the form is broken: each field has one line, once");
    }
    auto json = nlohmann::json::object();
    for (const auto& [name, value] : *fields) {
        if (name != key_field) json[name] = value;
    }
    request.body = wire::write_json(json);
}

std::string sign_in_secret(const http::Request& request) {
    const auto sent = wire::parse_json(request.body, "the form");
    auto secret = sent.value("token", "");
    const auto first = secret.find_first_not_of(' ');
    if (first == secret.npos) return "";
    return secret.substr(first, secret.find_last_not_of(' ') - first + 1);
}

http::Response for_browser(const http::Request& request, http::Response response) {
    if (response.status < 400 && request.method == "POST" && response.status != 303) {
        return see_other(request.path.substr(0, request.path.rfind('/')));
    }
    const auto type = response.headers.find("content-type");
    const bool is_problem =
        type != response.headers.end() && type->second == "application/problem+json";
    if (!is_problem || !is_html_wanted(request)) return response;
    if (response.status == 401) {
        if (request.method != "GET") return see_other("/login");
        const auto here = request.path + http::query_string(request.query);
        return see_other("/login" + http::query_string({{"next", here}}));
    }
    return problem_page(request, response);
}

bool is_browser(const http::Request& request) {
    return !request.path.starts_with("/api/") && !request.path.starts_with("/hooks/") &&
           is_html_wanted(request);
}

}  // namespace vigil::service
