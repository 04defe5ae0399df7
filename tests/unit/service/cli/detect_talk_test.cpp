#include "service/cli/detect/detect_talk.hpp"

#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using nlohmann::json;
using vigil::cli::answer_series;

namespace {

json stepped() {
    json series{{"id", "s"}, {"direction", "lower_is_better"}, {"values", json::array()}};
    for (int i = 0; i < 60; ++i) series["values"].push_back((i < 40 ? 100 : 115) + i * 7 % 5 * 0.1);
    return series;
}

json ask_detect(const json& series) {
    return json::parse(answer_series(series.dump()));
}

std::string complaint_of(const std::string& line) {
    return json::parse(answer_series(line)).at("error").get<std::string>();
}

}  // namespace

TEST_CASE("A line with a start is followed night by night", "[service][cli]") {
    json series = stepped();
    series["start"] = 20;
    const json answer = ask_detect(series);
    CHECK(answer.at("id") == "s");
    CHECK(answer.at("changes") == json{40});
    REQUIRE(answer.at("alarms").size() == 1);
    const json& alarm = answer.at("alarms").at(0);
    CHECK(alarm.at("night") == 41);
    CHECK(alarm.at("index") == 40);
    CHECK(alarm.at("change_ratio").get<double>() == Approx(0.15).margin(0.01));
    CHECK_FALSE(answer.contains("suspicions"));
    series["suspicions"] = true;
    CHECK(ask_detect(series).at("suspicions").size() == 60);
    series["direction"] = "higher_is_better";
    CHECK(ask_detect(series).at("alarms").empty());
    CHECK(ask_detect(series).at("changes") == json{40});
    series["start"] = 50;
    CHECK(ask_detect(series).at("changes").empty());
}

TEST_CASE("A line without a start is cut into levels", "[service][cli]") {
    json series = stepped();
    series["values"][7] = nullptr;
    const json answer = ask_detect(series);
    CHECK(answer.at("changes") == json{40});
    CHECK_FALSE(answer.contains("alarms"));
    series["values"] = json::array();
    CHECK(ask_detect(series).at("changes").empty());
}

TEST_CASE("A change of environment raises nothing", "[service][cli]") {
    json series = stepped();
    series["start"] = 20;
    series["env"] = json::array();
    for (int i = 0; i < 60; ++i) series["env"].push_back(i < 40 ? "m1" : "m2");
    CHECK(ask_detect(series).at("alarms").empty());
}

TEST_CASE("A line that is no series gets one clear message", "[service][cli]") {
    CHECK_THAT(complaint_of("no JSON"), Catch::Contains("the line"));
    CHECK_THAT(complaint_of("[]"), Catch::Contains("object"));
    CHECK_THAT(complaint_of("{}"), Catch::Contains("values"));
    CHECK_THAT(complaint_of(R"({"values":3})"), Catch::Contains("array"));
    CHECK_THAT(complaint_of(R"({"values":[1,"2"]})"), Catch::Contains("values[1]"));
    CHECK_THAT(complaint_of(R"({"values":[1e999]})"), Catch::Contains("the line"));
    CHECK_THAT(complaint_of(R"({"values":[],"direction":"up"})"), Catch::Contains("direction"));
    CHECK_THAT(complaint_of(R"({"values":[],"start":-1})"), Catch::Contains("start"));
    CHECK_THAT(complaint_of(R"({"values":[1],"env":[]})"), Catch::Contains("one entry"));
    CHECK_THAT(complaint_of(R"({"values":[1],"env":[2]})"), Catch::Contains("env[0]"));
    CHECK_THAT(complaint_of(R"({"values":[],"id":{}})"), Catch::Contains("id"));
    CHECK(json::parse(answer_series(R"({"id":7,"values":4})")).at("id") == 7);
}
