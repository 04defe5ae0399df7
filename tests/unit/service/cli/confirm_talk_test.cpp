#include "service/cli/talk/confirm_talk.hpp"

#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using nlohmann::json;
using vigil::cli::ConfirmTalk;

namespace {

json confirm_hello(const std::string& metric = "time") {
    json history = json::array();
    for (int night = 0; night < 28; ++night) {
        const double level = 100 + 0.2 * (night % 5);
        history.push_back({level, level + 0.4, level - 0.3});
    }
    return {
        {"type", "start"},
        {"id", "s000001"},
        {"metric", metric},
        {"direction", "lower_is_better"},
        {"threshold", 0.07},
        {"runs_per_night", 3},
        {"history", history},
        {"nights", 60}};
}

json said(ConfirmTalk& talk, const json& message) {
    return json::parse(talk.answer(message.dump()));
}

/// One night on which builds from `step` on are slower by `effect`.
json night_of(ConfirmTalk& talk, int night, int step, double effect) {
    int runs = 0;
    const auto value = [&](int build) {
        return (100 + 0.3 * (++runs % 4)) * (build >= step ? 1 + effect : 1);
    };
    json answer = said(
        talk,
        {{"type", "night"},
         {"night", night},
         {"values", {value(night), value(night), value(night)}}});
    for (int call = 0; call < 100 && answer.contains("run"); ++call) {
        json values = json::array();
        for (const int build : answer.at("run")) values.push_back(value(build));
        answer = said(talk, {{"type", "results"}, {"values", values}});
    }
    INFO(answer.dump());
    REQUIRE(answer.contains("done"));
    return answer.at("done");
}

}  // namespace

TEST_CASE("A step is filed over the talk, a quiet night says none", "[service][cli]") {
    ConfirmTalk talk;
    CHECK(said(talk, confirm_hello()) == json{{"ready", true}});
    CHECK(night_of(talk, 0, 1, 0.12).at("verdict") == "none");
    const json done = night_of(talk, 1, 1, 0.12);
    CHECK(done.at("verdict") == "regression");
    CHECK(done.at("new") == 1);
    CHECK(done.at("old").get<int>() < 1);
    CHECK(done.at("effect").get<double>() == Approx(0.12).margin(0.01));
    CHECK(done.at("low").get<double>() < done.at("high").get<double>());
    CHECK(done.at("p_above").get<double>() > 0.95);
    CHECK_FALSE(done.at("reason").get<std::string>().empty());
}

TEST_CASE("One process takes series after series", "[service][cli]") {
    ConfirmTalk talk;
    for (int i = 0; i < 3; ++i) {
        CHECK(said(talk, confirm_hello()).at("ready") == true);
        CHECK(night_of(talk, 0, 0, 0.2).at("verdict") == "regression");
        CHECK(talk.answer(R"({"type":"end"})").empty());
    }
    CHECK(said(talk, {{"type", "night"}, {"night", 0}, {"values", {1}}}).contains("error"));
}

TEST_CASE("Hostile lines are answered by an error and change nothing", "[service][cli]") {
    ConfirmTalk talk;
    const auto complaint = [&](const std::string& line) {
        return json::parse(talk.answer(line)).at("error").get<std::string>();
    };
    CHECK_THAT(complaint("no JSON"), Catch::Contains("the line"));
    CHECK_THAT(complaint("[]"), Catch::Contains("object"));
    CHECK_THAT(complaint("{}"), Catch::Contains("type"));
    CHECK_THAT(complaint(R"({"type":"stop"})"), Catch::Contains("start, night, results or end"));
    CHECK_THAT(complaint(R"({"type":"results","values":[1]})"), Catch::Contains("before a start"));
    CHECK_THAT(complaint(R"({"type":"start"})"), Catch::Contains("history"));
    CHECK_THAT(complaint(R"({"type":"start","history":[]})"), Catch::Contains("earlier night"));
    CHECK_THAT(complaint(R"({"type":"start","history":[[]]})"), Catch::Contains("empty night"));
    CHECK_THAT(complaint(R"({"type":"start","history":[["x"]]})"), Catch::Contains("history"));
    CHECK_THAT(complaint(R"({"type":"start","history":[[0]]})"), Catch::Contains("history"));
    for (const char* key : {"metric", "direction"}) {
        json bad = confirm_hello();
        bad[key] = "sideways";
        CHECK(said(talk, bad).contains("error"));
    }
    json far = confirm_hello();
    far["threshold"] = -1;
    CHECK(said(talk, far).contains("error"));

    REQUIRE(said(talk, confirm_hello()).contains("ready"));
    CHECK_THAT(complaint(R"({"type":"results","values":[1]})"), Catch::Contains("0 runs"));
    CHECK_THAT(complaint(R"({"type":"night","night":5,"values":[1]})"), Catch::Contains("be 0"));
    CHECK_THAT(complaint(R"({"type":"night","night":0,"values":[-1]})"), Catch::Contains("values"));
    CHECK_THAT(
        complaint(R"({"type":"night","night":0,"values":[1e999]})"), Catch::Contains("line"));
    CHECK(night_of(talk, 0, 0, 0.2).at("verdict") == "regression");
}
