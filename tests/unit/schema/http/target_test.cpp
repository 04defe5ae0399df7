#include "schema/http/target.hpp"

#include <catch2/catch.hpp>

#include "schema/http/message.hpp"

using namespace vigil;
using namespace vigil::http;

TEST_CASE("What is encoded comes back decoded", "[schema][http]") {
    const std::map<std::string, std::string> query{
        {"name", "a b/ü&=?#+%"}, {"empty", ""}, {"other", "x"}};
    const auto target = parse_target("/a/" + percent_encode("b c") + query_string(query));
    REQUIRE(target.has_value());
    CHECK(target->path == "/a/b c");
    CHECK(target->query.at("name") == query.at("name"));
    CHECK(target->query.at("other") == "x");
    CHECK_FALSE(target->query.contains("empty"));
}

TEST_CASE("Targets that could mean two things are refused with a reason", "[schema][http]") {
    for (const auto* raw :
         {"",
          "a",
          "/a/..",
          "/a//b",
          "/a%2Fb",
          "/a b",
          "/%zz",
          "/%ff",
          "/%00",
          "/?a=1&a=2",
          "/#a"}) {
        CAPTURE(raw);
        std::string why;
        CHECK_FALSE(parse_target(raw, &why).has_value());
        CHECK_FALSE(why.empty());
    }
    CHECK(parse_target("/a/")->path == "/a/");
}

TEST_CASE("Base URLs are taken apart, odd ones refused", "[schema][http]") {
    const auto plain = parse_base_url("http://127.0.0.1:8321/");
    CHECK(plain.host == "127.0.0.1");
    CHECK(plain.port == 8321);
    CHECK(plain.prefix.empty());
    CHECK(plain.authority() == "127.0.0.1:8321");
    const auto secure = parse_base_url("https://api.example.org/a/b/");
    CHECK(secure.secure);
    CHECK(secure.port == 443);
    CHECK(secure.prefix == "/a/b");
    CHECK(secure.authority() == "api.example.org");
    CHECK(parse_base_url("http://[::1]:80").authority() == "[::1]");
    for (const auto* url :
         {"",
          "ftp://a",
          "http://",
          "http://a:0",
          "http://a:x",
          "http://u@a",
          "http://a/?q=1",
          "http://[::1",
          "http://a b"}) {
        CAPTURE(url);
        CHECK_THROWS_AS(parse_base_url(url), Error);
    }
}

TEST_CASE("A failed answer says what a person can read", "[schema][http]") {
    CHECK(
        failure_text(problem_response(404, "there is no job 7", "/x")) ==
        "404 Not Found: there is no job 7");
    Response page;
    page.status = 502;
    page.body = "<html>secret</html>";
    CHECK(failure_text(page) == "502 Unknown");
    page.body = R"({"message":"two\nlines"})";
    CHECK(failure_text(page) == "502 Unknown: two lines");
}
