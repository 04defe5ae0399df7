// How a browser is signed in, and which forms are taken.

#include "service/pages/common/form.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "service/pages/common/cookie.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

const std::string secret(64, 'a');

http::Request form_of(const std::string& body, const http::Headers& headers) {
    http::Request request;
    request.method = "POST";
    request.path = "/regressions/1/state";
    request.body = body;
    request.headers = headers;
    request.headers.emplace("host", "vigil.example:8321");
    return request;
}

std::string key_of(const std::string& cookie) {
    return form_key({{"cookie", cookie}});
}

}  // namespace

TEST_CASE("The secret is in one cookie of several", "[service][pages]") {
    CHECK(cookie_secret({{"cookie", "a=b; vigil_token=" + secret + "; c=d"}}) == secret);
    CHECK_FALSE(cookie_secret({}));
    CHECK_FALSE(cookie_secret({{"cookie", "other_vigil_token=" + secret}}));
    CHECK_FALSE(cookie_secret({{"cookie", "vigil_token="}}));
    CHECK_FALSE(cookie_secret({{"cookie", "vigil_token=a b"}}));
    CHECK_FALSE(cookie_secret({{"cookie", "vigil_token=" + std::string(5000, 'a')}}));
}

TEST_CASE("The cookie is for no script and no other site", "[service][pages]") {
    Config config;
    const auto plain = cookie_that_keeps(secret, config);
    CHECK(plain.find("; HttpOnly") != plain.npos);
    CHECK(plain.find("; SameSite=Strict") != plain.npos);
    CHECK(plain.find("Secure") == plain.npos);
    config.links.public_url = "https://vigil.example";
    CHECK(cookie_that_keeps(secret, config).ends_with("; Secure"));
    CHECK(cookie_that_forgets().starts_with("vigil_token=; Max-Age=0"));
}

TEST_CASE("A form is taken from our own pages alone", "[service][pages]") {
    Config config;
    config.links.public_url = "https://public.example";
    const auto refused = [&](const http::Headers& headers) {
        return refuse_form(form_of("state=accepted", headers), config).has_value();
    };
    CHECK_FALSE(refused({}));
    CHECK_FALSE(refused({{"sec-fetch-site", "same-origin"}}));
    CHECK_FALSE(refused({{"origin", "http://vigil.example:8321"}}));
    CHECK_FALSE(refused({{"origin", "https://public.example"}}));
    CHECK(refused({{"sec-fetch-site", "cross-site"}}));
    CHECK(refused({{"sec-fetch-site", "same-site"}}));
    CHECK(refused({{"origin", "http://vigil.example"}}));
    CHECK(refused({{"origin", "null"}}));
}

TEST_CASE("A form carries the key of its cookie", "[service][pages]") {
    const auto cookie = "vigil_token=" + secret;
    const auto key = key_of(cookie);
    CHECK(key != secret);
    const auto refused = [&](const std::string& body) {
        return refuse_form(form_of(body, {{"cookie", cookie}}), Config{}).has_value();
    };
    CHECK_FALSE(refused("state=accepted&key=" + key));
    CHECK(refused("state=accepted"));
    CHECK(refused("state=accepted&key="));
    CHECK(refused("state=accepted&key=" + key_of("vigil_token=" + std::string(64, 'b'))));
}

TEST_CASE("A form becomes the JSON of the API, without its key", "[service][pages]") {
    auto request = form_of("state=accepted&reason=it+is+%22meant%22&key=1", {});
    form_to_json(request);
    const auto body = wire::parse_json(request.body, "the body");
    CHECK(body == nlohmann::json{{"state", "accepted"}, {"reason", "it is \"meant\""}});
    auto broken = form_of("a=1&a=2", {});
    CHECK_THROWS_AS(form_to_json(broken), Error);
}

TEST_CASE("A browser is shown the way, a program the problem", "[service][pages]") {
    http::Request request;
    request.method = "GET";
    request.path = "/regressions";
    request.query = {{"state", "open"}};
    const auto refused = http::problem_response(401, "send a token", request.path);
    CHECK(for_browser(request, refused).status == 401);
    request.headers["accept"] = "text/html";
    const auto sent = for_browser(request, refused);
    CHECK(sent.status == 303);
    CHECK(sent.headers.at("location") == "/login?next=%2Fregressions%3Fstate%3Dopen");
    const auto missing = for_browser(request, http::problem_response(404, "<b>", request.path));
    CHECK(missing.status == 404);
    CHECK(missing.body.find("&lt;b&gt;") != missing.body.npos);
    request.method = "POST";
    request.path = "/regressions/1/state";
    CHECK(
        for_browser(request, http::json_response("{}")).headers.at("location") == "/regressions/1");
}
