#include <catch2/catch.hpp>

#include "worker/lease/cache_proxy.hpp"

using namespace vigil::worker;

namespace {

std::optional<CacheQuestion> parse(const std::string& line, const std::string& headers = "") {
    return parse_question(line + " HTTP/1.1\r\nHost: 127.0.0.1\r\n" + headers + "\r\n");
}

}  // namespace

TEST_CASE("A compiler cache is asked for entries, and for nothing else", "[worker][lease]") {
    const auto get = parse("GET /ab/c0ffee-12_r");
    REQUIRE(get);
    CHECK(get->method == "GET");
    CHECK(get->path == "/ab/c0ffee-12_r");
    CHECK(get->length == 0);
    CHECK(parse("HEAD /ab/cd"));
    const auto put = parse("PUT /ab/cd", "content-LENGTH: 12\r\n");
    REQUIRE(put);
    CHECK(put->length == 12);
    for (const auto* line :
         {"DELETE /ab/cd",
          "POST /ab/cd",
          "GET /",
          "GET /ab/",
          "GET //ab",
          "GET /../ab",
          "GET /ab.json",
          "GET /a%62",
          "GET /ab?x=1",
          "GET http://far/ab",
          "GET ab",
          "GET",
          ""}) {
        CAPTURE(line);
        CHECK_FALSE(parse(line));
    }
    CHECK_FALSE(parse("GET /" + std::string(300, 'a')));
}

TEST_CASE("An entry that is put has a length, and not any", "[worker][lease]") {
    CHECK_FALSE(parse("PUT /ab/cd"));
    CHECK_FALSE(parse("PUT /ab/cd", "Content-Length: many\r\n"));
    CHECK_FALSE(parse("PUT /ab/cd", "Content-Length: -1\r\n"));
    CHECK_FALSE(parse("PUT /ab/cd", "Content-Length: 33554433\r\n"));
    CHECK(parse("PUT /ab/cd", "Content-Length: 33554432\r\n"));
}
