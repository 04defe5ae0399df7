#include "schema/http/gzip.hpp"

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"

using namespace vigil;
using namespace vigil::http;

TEST_CASE("What is packed comes back, and a bomb does not go off", "[schema][http]") {
    const std::string text(300'000, 'x');
    const auto packed = gzip(text);
    CHECK(packed.size() < 3000);
    CHECK(gunzip(packed, text.size()) == text);
    CHECK_FALSE(gunzip(packed, text.size() - 1));
    CHECK(gunzip(gzip(""), 0) == "");
    CHECK_THROWS_AS(gunzip(packed.substr(0, packed.size() - 1), text.size()), Error);
    CHECK_THROWS_AS(gunzip(packed + "x", text.size()), Error);
    CHECK_THROWS_AS(gunzip("plain text", 100), Error);
    CHECK_THROWS_AS(gunzip("", 100), Error);
}
