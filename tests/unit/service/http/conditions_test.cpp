#include "service/http/conditions.hpp"

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;

namespace {

http::Request asked(const std::string& if_none_match = "") {
    http::Request request;
    request.method = "GET";
    if (!if_none_match.empty()) request.headers["if-none-match"] = if_none_match;
    return request;
}

http::Response reply(const std::string& body, const http::Request& request) {
    auto response = http::json_response(body);
    apply_conditions(request, response);
    return response;
}

}  // namespace

TEST_CASE("A reply that the client has is not sent again", "[service][http]") {
    const auto first = reply("{}", asked());
    const auto tag = first.headers.at("etag");
    CHECK(tag.size() == 34);
    CHECK(first.body == "{}");
    CHECK(first.headers.at("cache-control") == "private, no-cache");
    const auto again = reply("{}", asked("\"other\", " + tag));
    CHECK(again.status == 304);
    CHECK(again.body.empty());
    CHECK(again.headers.at("etag") == tag);
    CHECK_FALSE(again.headers.contains("content-type"));
    CHECK(reply("{\"a\":1}", asked(tag)).status == 200);
    CHECK(reply("{\"a\":1}", asked("*")).status == 304);
}

TEST_CASE("What is no answer to a GET has no tag", "[service][http]") {
    auto request = asked("*");
    request.method = "POST";
    CHECK_FALSE(reply("{}", request).headers.contains("etag"));
    auto missing = http::problem_response(404, "no", "/x");
    apply_conditions(asked("*"), missing);
    CHECK(missing.status == 404);
    auto file = http::Response{};
    file.headers["etag"] = "\"abc\"";
    file.body_file = "/tmp/none";
    apply_conditions(asked("W/\"abc\""), file);
    CHECK(file.status == 304);
    CHECK_FALSE(file.body_file);
}

TEST_CASE("A request is called what its client calls it, when that is a name", "[service][http]") {
    CHECK(request_id_of({{"x-request-id", "build-7.2_a"}}) == "build-7.2_a");
    for (const std::string bad : {"", "a b", "a\"b", "{}"}) {
        CHECK(request_id_of({{"x-request-id", bad}}).size() == 16);
    }
    CHECK(request_id_of({{"x-request-id", std::string(65, 'a')}}).size() == 16);
    CHECK(request_id_of({}) != request_id_of({}));
}

TEST_CASE("A route that is given up says so, and until when it stays", "[service][http]") {
    const Route route{
        .method = "GET",
        .pattern = "/api/v1/old",
        .ending = {.deprecated_at_s = 1'741'744'800, .sunset_at_s = 784'111'777}};
    http::Response response;
    tell_ending(route.ending, response);
    CHECK(response.headers.at("deprecation") == "@1741744800");
    CHECK(response.headers.at("sunset") == "Sun, 06 Nov 1994 08:49:37 GMT");
    http::Response other;
    tell_ending(Route{}.ending, other);
    CHECK(other.headers.empty());
}
