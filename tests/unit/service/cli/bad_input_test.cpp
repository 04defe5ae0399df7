#include <cmath>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "service/cli/detect/detect_talk.hpp"
#include "tests/unit/service/cli/said.hpp"

// What comes from outside and is no plain series: one clear message, or a stated unknown.

using namespace vigil;
using Catch::Contains;
using nlohmann::json;

namespace {

std::string rows_of(
    const std::vector<std::string>& values, const std::string& header = "night,value") {
    std::string text = header + "\n";
    for (std::size_t i = 0; i < values.size(); ++i) text += fmt::format("{},{}\n", i, values[i]);
    return text;
}

}  // namespace

TEST_CASE(
    "A file that cannot be read as series gets one message with its place", "[service][cli]") {
    const std::vector<std::pair<std::string, std::string>> bad{
        {"", "it is empty"},
        {"night,value\n", "a header and no rows"},
        {"night,value\n1,inf\n", "line 2, column 3: the value is infinite"},
        {"night,value\n1,-infinity\n", "line 2"},
        {"night,value\n1,1e999\n", "out of range"},
        {"night,value\n1,0x10\n", "must be a number"},
        {"night,value\n1,12 ms\n", "must be a number"},
        {"night,value\nyesterday,1\n", "the night must be"},
        {"night,value\n1,1\n2026-01-01,2\n", "numbers and times are mixed"},
        {"night,value\n1,1,1\n", "3 cells, the header has 2"},
        {"night,value,unit\n1,1,ms\n2,1000,us\n",
         "line 3, column 1: series '' has values in 'ms' and in 'us'"},
        {"{\"values\":[1,2", "line 1"},
        {"{\"values\":[1,1e999]}", "line 1"},
        {"{\"values\":[1,\"2\"]}", "line 1"},
        {"{\"values\":[1],\"values\":[2]}", "line 1"},
        {"{\"values\":[1,2],\"nights\":[2,1]}", "in order"},
        {"{\"values\":[1,2],\"nights\":[1,1]}", "in order"},
        {"{\"values\":[1,2],\"labels\":[2]}", "position"},
        {"{\"values\":[1],\"direction\":\"up\"}", "lower_is_better"},
        {"{\"night\":1,\"value\":1,\"unit\":[7]}", "line 1"},
        {std::string("{\"values\":[1]}\0{}", 17), "line 1"},
        {"{\"values\":" + std::string(100'000, '[') + "}", "line 1"},
        {"\xff\xfe night", "UTF-8"}};
    for (const auto& [text, message] : bad) {
        CAPTURE(text.substr(0, 60));
        const auto said = test::say({"detect", "-"}, text);
        CHECK(said.code == 4);
        CHECK(said.out.empty());
        CHECK_THAT(said.err, Contains(message));
        CHECK(std::count(said.err.begin(), said.err.end(), '\n') <= 2);
    }
}

TEST_CASE("Values that say nothing end in a stated unknown, not in a finding", "[service][cli]") {
    const std::vector<std::vector<std::string>> series{
        {"5"}, {"nan", "", "null", "NA"}, std::vector<std::string>(12, "3"), {"0"}, {"-1", "-2"}};
    for (const auto& values : series) {
        CAPTURE(values.front());
        const auto said = test::say({"detect", "-"}, rows_of(values));
        CHECK(said.code == 5);
        CHECK_THAT(said.out, Contains("unknown: measured nights:"));
    }
    const auto none = test::say({"detect", "-"}, "{\"series\":\"a\",\"values\":[]}");
    CHECK(none.code == 5);
    CHECK_THAT(none.out, Contains("a: no nights"));
}

TEST_CASE(
    "Zeros, negative and extreme values are judged, and no number is lost", "[service][cli]") {
    for (const char* odd : {"0", "-7", "1e300", "1e-300", "-1e300"}) {
        CAPTURE(odd);
        std::vector<std::string> values(60, "100");
        values[20] = odd;
        values[40] = odd;
        const auto said = test::say({"detect", "-", "--json"}, rows_of(values));
        CHECK((said.code == 0 || said.code == 1));
        const auto text = json::parse(said.out).dump();
        CHECK_THAT(text, !Contains("nan") && !Contains("inf"));
        const auto all =
            test::say({"detect", "-", "--json"}, rows_of(std::vector<std::string>(60, odd)));
        CHECK(all.code == 0);
        CHECK(json::parse(all.out).at("series").at(0).at("changes").empty());
    }
}

TEST_CASE(
    "What is measured in another way is a series of its own, and it is said", "[service][cli]") {
    std::string text = "night,value,definition\n";
    for (int i = 0; i < 60; ++i)
        text += fmt::format("{},{},{}\n", i, i < 30 ? 100 : 200, i < 30 ? 1 : 2);
    const auto said = test::say({"detect", "-", "--json"}, text);
    CHECK(said.code == 0);
    const json answer = json::parse(said.out);
    REQUIRE(answer.at("series").size() == 2);
    CHECK(answer.at("series").at(1).at("series") == " (definition 2)");
    CHECK_THAT(answer.at("notes").dump(), Contains("the definition changed 1 times"));
}

TEST_CASE("A talk answers every hostile line with one error, and goes on", "[service][cli]") {
    for (const std::string& line : std::vector<std::string>{
             "{}",
             "[]",
             "7",
             "{\"values\":7}",
             "{\"values\":[true]}",
             "{\"values\":[\"1\"]}",
             "{\"values\":[1],\"start\":-1}",
             "{\"values\":[1],\"start\":1.5}",
             "{\"values\":[1],\"env\":[]}",
             "{\"values\":[1],\"direction\":\"up\"}",
             "{\"id\":{},\"values\":[1]}",
             "{\"values\":[1e999]}",
             "{\"values\":[NaN]}",
             "{\"values\":[Infinity]}",
             "{\"values\":[1,2],\"nights\":[2,1]}",
             "{\"values\":[1,2],\"nights\":[1,1]}",
             "{\"values\":[1,2],\"nights\":[1,\"2026-01-01\"]}",
             "{\"values\":[1,2],\"nights\":[1,\"soon\"]}",
             "{\"values\":[1,2],\"nights\":[1]}",
             "{\"values\":[1],\"nights\":[[]]}",
             std::string("{\"values\":[1]}\0", 15),
             "\xff",
             "{\"a\":1,\"a\":2,\"values\":[]}",
             std::string(70'000, '['),
             "{\"values\":[1]}x"}) {
        CAPTURE(line.substr(0, 40));
        const json answer = json::parse(cli::answer_series(line));
        CHECK(answer.at("error").get<std::string>().size() > 5);
    }
    for (const char* line :
         {"{\"values\":[],\"start\":0}",
          "{\"values\":[1],\"start\":0}",
          "{\"values\":[null]}",
          "{\"values\":[0,0,-1],\"start\":2}",
          "{\"values\":[1,2],\"start\":99}"}) {
        const json answer = json::parse(cli::answer_series(line));
        CHECK(answer.at("changes").empty());
        CHECK_THAT(answer.at("unknown").get<std::string>(), Contains("a change needs 13"));
    }
    std::string enough = "{\"values\":[1";
    for (int i = 1; i < 13; ++i) enough += ",1";
    CHECK_FALSE(json::parse(cli::answer_series(enough + "]}")).contains("unknown"));
}

TEST_CASE("What opens a session can be chosen, and a wrong word is refused", "[service][cli]") {
    const std::string end = "{\"type\":\"end\"}\n";
    for (const char* good : {"level", "shape", "either:6", "both:0.5"}) {
        const auto said = test::say({"confirm", "--stdio", "--trigger", good}, end);
        CHECK(said.code == 0);
        CHECK(said.err.empty());
    }
    for (const char* bad :
         {"", "sometimes", "either:", "either:x", "either:0", "either:-1", "both:4x", "both:nan"}) {
        CAPTURE(bad);
        const auto said = test::say({"confirm", "--stdio", "--trigger", bad}, end);
        CHECK(said.code != 0);
        CHECK(said.err.size() > 10);
    }
}

TEST_CASE("A step of several nights is asked about by its shape alone", "[service][cli]") {
    std::string talk = "{\"type\":\"start\",\"metric\":\"time\",\"history\":[";
    for (int i = 0; i < 28; ++i) {
        talk += fmt::format("{}[{:.3f}]", i == 0 ? "" : ",", 100 + 0.1 * (i * 7 % 5));
    }
    talk += "]}\n{\"type\":\"night\",\"night\":0,\"values\":[112]}\n";
    const auto by_shape = test::say({"confirm", "--stdio", "--trigger", "shape"}, talk);
    CHECK_THAT(by_shape.out, Contains("\"run\":["));
    const auto deaf = test::say({"confirm", "--stdio", "--trigger", "both:900"}, talk);
    CHECK_THAT(deaf.out, Contains("\"verdict\":\"none\""));
}

TEST_CASE("A million nights are read, followed and cut", "[service][cli][.long]") {
    std::string text = "night,value\n";
    for (int i = 0; i < 1'000'000; ++i) {
        text += fmt::format("{},{}\n", i, (i < 999'000 ? 100 : 120) + i * 7 % 5 / 10.0);
    }
    const auto said = test::say({"detect", "-", "--json"}, text);
    CHECK(said.code == 1);
    CHECK(json::parse(said.out).at("series").at(0).at("changes").size() == 1);
}
