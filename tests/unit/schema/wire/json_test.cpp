#include "schema/wire/json.hpp"

#include <limits>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"

using namespace vigil;
using Catch::Contains;
using nlohmann::json;

namespace {

/// The error's message; fails the test when the text is accepted.
std::string refusal(std::string_view text, wire::JsonLimits limits = {}) {
    try {
        wire::parse_json(text, "the body", limits);
    } catch (const Error& error) {
        CHECK(error.code() == Errc::invalid_argument);
        CHECK(std::string(error.what()).find('\n') == std::string::npos);
        return error.what();
    }
    FAIL("accepted: " << text.substr(0, 80));
    return "";
}

std::string repeated(std::string_view text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
}

}  // namespace

TEST_CASE("Every kind of value is read as it is written", "[schema][wire]") {
    const auto value = wire::parse_json(
        R"( {"a":[1,-2,0.5,1e3,true,false,null,"x\n\u00e9\ud83d\ude00"],"":{}, "b":[]} )", "it");
    CHECK(value.at("a").dump() == R"([1,-2,0.5,1000.0,true,false,null,"x\né😀"])");
    CHECK(value.at("").empty());
    CHECK(value.at("b").is_array());
    CHECK(wire::parse_json("7", "it") == 7);
    CHECK(wire::parse_json("\"\"", "it") == "");
}

TEST_CASE("The largest integers survive, larger ones are refused", "[schema][wire]") {
    CHECK(
        wire::parse_json("9223372036854775807", "it").get<std::int64_t>() ==
        std::numeric_limits<std::int64_t>::max());
    CHECK(
        wire::parse_json("-9223372036854775808", "it").get<std::int64_t>() ==
        std::numeric_limits<std::int64_t>::min());
    CHECK(wire::parse_json("[9007199254740993]", "it")[0].get<std::int64_t>() == 9007199254740993);
    for (const auto* text :
         {"[9223372036854775808]",
          "[18446744073709551615]",
          "[18446744073709551616]",
          "[-9223372036854775809]",
          "[123456789012345678901234567890]"}) {
        CHECK_THAT(refusal(text), Contains("line 1, column 2") && Contains("integer"));
    }
}

TEST_CASE("A number that no double can hold is refused", "[schema][wire]") {
    for (const auto* text : {"1e999", "[-1e999]", "{\"a\":1e400}", "NaN", "[Infinity]"}) {
        CHECK_THAT(refusal(text), Contains("the body: line 1, column "));
    }
}

TEST_CASE("A key may not stand twice in one object", "[schema][wire]") {
    CHECK_THAT(
        refusal("{\"a\": 1,\n  \"b\": 2, \"a\": 3}"),
        Contains("line 2, column 11") && Contains("\"a\" is there twice"));
    CHECK_THAT(refusal(R"([{"x":{"k":1,"\u006b":2}}])"), Contains("twice"));
    CHECK(wire::parse_json(R"([{"a":1},{"a":2},{"b":{"a":1}}])", "it").size() == 3);
}

TEST_CASE("NUL is refused as a byte and as an escape", "[schema][wire]") {
    CHECK_THAT(refusal(std::string("{}\0{}", 5)), Contains("column 3") && Contains("NUL"));
    CHECK_THAT(refusal(R"({"a": "x\u0000y"})"), Contains("column 7") && Contains("NUL"));
    CHECK_THAT(refusal(R"({"a\u0000": 1})"), Contains("column 2") && Contains("NUL"));
}

TEST_CASE("Bytes that are no UTF-8 are refused wherever they stand", "[schema][wire]") {
    for (const auto* bytes :
         {"\x80",
          "\xC0\xAF",
          "\xE0\x80\x80",
          "\xED\xA0\x80",
          "\xF4\x90\x80\x80",
          "\xFF",
          "\xC3",
          "\xF0\x9F\x98"}) {
        CHECK_THAT(
            refusal("[\"" + std::string(bytes) + "\"]"), Contains("column 3: not valid UTF-8"));
        wire::JsonLimits limits;
        limits.comments = wire::Comments::allowed;
        CHECK_THAT(refusal("// " + std::string(bytes) + "\n1", limits), Contains("UTF-8"));
    }
    CHECK_THAT(refusal(R"(["\ud800"])"), Contains("surrogate"));
    CHECK_NOTHROW(wire::check_utf8("\xED\x9F\xBF\xF4\x8F\xBF\xBF", "it"));
}

TEST_CASE("Nesting ends at the limit, however deep the text goes", "[schema][wire]") {
    CHECK_NOTHROW(wire::parse_json(repeated("[", 64) + repeated("]", 64), "it"));
    CHECK_THAT(
        refusal(repeated("[", 65) + repeated("]", 65)),
        Contains("column 65") && Contains("deeper than 64"));
    CHECK_THAT(refusal(repeated("[", 100'000)), Contains("deeper than 64"));
    CHECK_THAT(refusal(repeated("{\"a\":", 100'000)), Contains("deeper than 64"));
}

TEST_CASE("A text beyond the limits is refused", "[schema][wire]") {
    wire::JsonLimits limits;
    limits.max_bytes = 10;
    CHECK_THAT(refusal("[1,2,3,4,5]", limits), Contains("11 bytes, at most 10"));
    limits = {};
    limits.max_values = 3;
    CHECK_NOTHROW(wire::parse_json("[1,2]", "it", limits));
    CHECK_THAT(refusal("[1,2,3]", limits), Contains("more than 3 values"));
}

TEST_CASE("Broken texts are refused with their place", "[schema][wire]") {
    for (const auto* text :
         {"",
          " ",
          "{",
          "[1,]",
          "{\"a\":1,}",
          "{a:1}",
          "{'a':1}",
          "[1 2]",
          "01",
          "+1",
          "1.",
          ".5",
          "[1]x",
          "{}{}",
          "tru",
          "\"\t\"",
          "\"abc",
          "\"\\x\"",
          "// c\n1"}) {
        CAPTURE(text);
        CHECK_THAT(refusal(text), Contains("reading the body: line 1, column "));
    }
    CHECK_THAT(refusal("{\n  \"a\": 1\n  \"b\": 2\n}"), Contains("line 3, column "));
}

TEST_CASE("Comments are read where they are allowed", "[schema][wire]") {
    wire::JsonLimits limits;
    limits.comments = wire::Comments::allowed;
    const auto value =
        wire::parse_json("// one\n{ /* two \" */ \"a\": 1 // \"b\": 2\n}", "it", limits);
    CHECK(value == json{{"a", 1}});
    CHECK_THAT(refusal("/* open", limits), Contains("comment"));
}

TEST_CASE("Positions tell where each member and element stands", "[schema][wire]") {
    std::map<std::string, wire::JsonPosition> positions;
    const std::string text =
        "{\n"
        "  \"a\\\"b\": [10,\n"
        "    -2.5 , \"x\\\\\", true, null,\n"
        "    {\"c/d~\": false}],\n"
        "  \"e\": 12\n"
        "}";
    wire::parse_json(text, "it", {}, positions);
    const auto at = [&](const std::string& pointer) {
        REQUIRE(positions.contains(pointer));
        return std::pair(positions[pointer].line, positions[pointer].column);
    };
    CHECK(at("") == std::pair(1, 1));
    CHECK(at("/a\"b") == std::pair(2, 3));
    CHECK(at("/a\"b/0") == std::pair(2, 12));
    CHECK(at("/a\"b/1") == std::pair(3, 5));
    CHECK(at("/a\"b/2") == std::pair(3, 12));
    CHECK(at("/a\"b/3") == std::pair(3, 19));
    CHECK(at("/a\"b/4") == std::pair(3, 25));
    CHECK(at("/a\"b/5") == std::pair(4, 5));
    CHECK(at("/a\"b/5/c~1d~0") == std::pair(4, 6));
    CHECK(at("/e") == std::pair(5, 3));
    CHECK(positions.size() == 10);
}

TEST_CASE("Writing sorts the keys and never fails on strange bytes", "[schema][wire]") {
    CHECK(wire::write_json({{"b", 1}, {"a", {1, 2}}}) == R"({"a":[1,2],"b":1})");
    CHECK(wire::write_json("a\xFFz") == "\"a\xEF\xBF\xBDz\"");
}

TEST_CASE("Only the parts that are wanted are kept, and all of it is read", "[schema][wire]") {
    const std::set<std::string> wanted{"/a/b", "/list", "/a/c/d"};
    const auto parts = [&](std::string_view text) {
        return wire::parse_json_parts(text, "it", wanted).dump();
    };
    CHECK(
        parts(
            R"({"a":{"b":{"x":[1]},"c":{"d":2,"e":3},"f":4},"list":[{"y":1}],"z":[[{"b":1}]]})") ==
        R"({"a":{"b":{"x":[1]},"c":{"d":2}},"list":[{"y":1}]})");
    CHECK(parts(R"({"a":"text","list":7})") == R"({"a":"text","list":7})");
    CHECK(parts(R"({"a":[{"b":1}]})") == R"({"a":[]})");
    CHECK(parts(R"({"ab":{"b":1},"b":1})") == "{}");
    CHECK(parts("[{\"a\":{\"b\":1}}]") == "[]");
    CHECK(parts("7") == "7");
    for (const std::string text :
         {R"({"a":{"b":1,"b":2}})",
          R"({"a":1,"a":{"b":2}})",
          R"({"z":[1,)",
          R"({"z":1e999})",
          R"({"z":18446744073709551615})",
          R"({"z":"\u0000"})",
          R"({"\u0000":1})"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(parts(text), Error);
    }
    CHECK_THROWS_AS(parts("{\"z\":" + repeated("[", 64) + repeated("]", 64) + "}"), Error);
}
