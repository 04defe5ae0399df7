#include "schema/wire/base64.hpp"

#include <catch2/catch.hpp>

using namespace vigil::wire;

TEST_CASE("Base64 is as RFC 4648 gives it", "[schema][wire]") {
    CHECK(base64("").empty());
    CHECK(base64("f") == "Zg==");
    CHECK(base64("fo") == "Zm8=");
    CHECK(base64("foo") == "Zm9v");
    CHECK(base64("foobar") == "Zm9vYmFy");
    CHECK(base64(std::string("\xfb\xff\xfe\x00", 4)) == "+//+AA==");
}

TEST_CASE("For addresses it has other signs and no padding", "[schema][wire]") {
    CHECK(base64_url(std::string("\xfb\xff\xfe\x00", 4)) == "-__-AA");
}
