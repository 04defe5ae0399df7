#include "schema/wire/digest.hpp"

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"

using namespace vigil;

TEST_CASE("SHA-256 gives the published value of the standard's example", "[schema][wire]") {
    CHECK(
        wire::sha256("abc").str() ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("HMAC-SHA256 agrees with GitHub's documented example", "[schema][wire]") {
    CHECK(
        wire::hmac_sha256_hex("It's a Secret to Everybody", "Hello, World!") ==
        "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17");
}

TEST_CASE("Constant-time comparison tells equal from different", "[schema][wire]") {
    CHECK(wire::equal_constant_time("secret", "secret"));
    CHECK_FALSE(wire::equal_constant_time("secret", "secres"));
    CHECK_FALSE(wire::equal_constant_time("secret", "secret "));
}

TEST_CASE("A file that is not there is named in the error", "[schema][wire]") {
    CHECK_THROWS_WITH(wire::sha256_file("no/such/file"), Catch::Contains("no/such/file"));
}
