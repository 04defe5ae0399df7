#include "schema/http/accept.hpp"

#include <string>

#include <catch2/catch.hpp>

using vigil::http::accepts;
using vigil::http::preference_of;

TEST_CASE("A list of codings takes what it names", "[schema][http]") {
    const auto takes = [](const char* list) { return accepts(list, {"gzip", "x-gzip"}); };
    CHECK(takes("gzip"));
    CHECK(takes("deflate, GZIP;q=0.5, br"));
    CHECK(takes("br, x-gzip"));
    CHECK(takes("*"));
    CHECK_FALSE(takes("gzip;q=0"));
    CHECK_FALSE(takes("gzip; q=0.000, br"));
    CHECK_FALSE(takes("br"));
    CHECK_FALSE(takes(""));
}

TEST_CASE("The most specific entry of a list of types decides", "[schema][http]") {
    const auto takes = [](const char* list) { return accepts(list, {"application/json"}); };
    CHECK(takes("application/json"));
    CHECK(takes("text/csv, application/json; charset=utf-8;q=0.2"));
    CHECK(takes("text/html, */*;q=0.8"));
    CHECK(takes("application/*"));
    CHECK(takes("*/*;q=0, application/json"));
    CHECK_FALSE(takes("text/csv"));
    CHECK_FALSE(takes("text/*, application/xml"));
    CHECK_FALSE(takes("*/*, application/json;q=0"));
    CHECK_FALSE(takes("application/*;q=0, */*"));
    CHECK_FALSE(takes(";;,,/,;q=0,"));
}

TEST_CASE("A list of any length is read once", "[schema][http]") {
    std::string list;
    for (int i = 0; i < 10'000; ++i) list += ";q=;,";
    CHECK_FALSE(accepts(list, {"gzip"}));
}

TEST_CASE("Of several forms the one that is wanted most is known", "[schema][http]") {
    const auto csv = [](const char* list) { return preference_of(list, "text/csv"); };
    CHECK(csv("text/csv;q=0.5").weight == 500);
    CHECK(csv("text/csv;q=0.5") < csv("text/*"));
    CHECK(csv("*/*") < csv("text/*"));
    CHECK(csv("text/*") < csv("text/csv"));
    CHECK(csv("text/csv;q=0").weight == 0);
    for (const char* broken : {"text/csv;q=", "text/csv;q=2", "text/csv;q=x", "text/csv;q=nan"}) {
        CHECK(csv(broken).weight == 1000);
    }
}
