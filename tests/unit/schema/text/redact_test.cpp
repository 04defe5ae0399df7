#include "schema/text/redact.hpp"

#include <catch2/catch.hpp>

using namespace vigil;

TEST_CASE("A secret is gone from a text however its characters are written", "[schema][text]") {
    const std::vector<std::string> secrets{"ghs_a/b\"c"};
    const auto redact = [&](std::string_view text) { return text::redact(text, secrets); };
    CHECK(redact("Bearer ghs_a/b\"c, and ghs_a/b\"c") == "Bearer [secret], and [secret]");
    CHECK(redact(R"({"got":"ghs_a\/b\"c"})") == R"({"got":"[secret]"})");
    CHECK(redact(R"("\u0067hs_\u0061/b\u0022c")") == R"("[secret]")");
    CHECK(redact("?token=ghs%5Fa%2Fb%22c&x") == "?token=[secret]&x");
    CHECK(redact("ghs_a/b'c") == "ghs_a/b'c");
    CHECK(redact("ghs_a/b\\u00") == "ghs_a/b\\u00");
    CHECK(redact("ghs_a%2") == "ghs_a%2");
    CHECK(redact("") == "");
}

TEST_CASE("What is too short to be a secret takes nothing away", "[schema][text]") {
    CHECK(text::redact("a message", {"", "a", "messa"}) == "a message");
    CHECK(text::redact("one and another", {"another", "one and"}) == "[secret] [secret]");
}
