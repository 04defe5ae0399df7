#include "schema/text/nearest.hpp"

#include <catch2/catch.hpp>

using namespace vigil::text;

TEST_CASE("The nearest word is found, far ones are not", "[schema][text]") {
    CHECK(nearest("prot", {"port", "address"}) == "port");
    CHECK(nearest("PORT", {"port"}) == "port");
    CHECK(nearest("max_conections", {"max_body_bytes", "max_connections"}) == "max_connections");
    CHECK(nearest("mlp/trian", {"mlp/infer", "mlp/train"}) == "mlp/train");
    CHECK(nearest("abcd", {"bcd", "xbcd"}) == "bcd");
    CHECK(nearest("abc", {"acb", "abc"}) == "abc");
    CHECK_FALSE(nearest("zebra", {"port", "address"}));
    CHECK_FALSE(nearest("ab", {"a", "cd"}) == "cd");
    CHECK_FALSE(nearest("", {"a", ""}));
    CHECK_FALSE(nearest("abcdefghijkl", {"abcdWXYZijkl"}));  // four edits
}

TEST_CASE("The nearest name is found among many, long ones too", "[schema][text]") {
    std::vector<std::string> names;
    for (int i = 0; i < 20'000; ++i) names.push_back(std::string(400, 'a') + std::to_string(i));
    CHECK(nearest(std::string(399, 'a') + "x7", names) == std::string(400, 'a') + "7");
    CHECK_FALSE(nearest(std::string(390, 'a') + "7", names));
}

TEST_CASE("A hint is a half sentence, or nothing", "[schema][text]") {
    CHECK(did_you_mean("wiat", {"wait"}, '\'', "--") == "; did you mean '--wait'?");
    CHECK(did_you_mean("zebra", {"wait"}).empty());
    CHECK(joined({"a", "b"}) == "a, b");
    CHECK(joined({}).empty());
}
