#include "service/cli/talk/plan_talk.hpp"

#include <algorithm>
#include <string>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using nlohmann::json;
using vigil::cli::PlanTalk;

namespace {

json hello(int candidates) {
    return {
        {"type", "start"},
        {"protocol", 1},
        {"candidates", candidates},
        {"workers", 2},
        {"build_cost", 10},
        {"run_cost", 1},
        {"switch_cost", 0.1},
        {"metric", "time"},
        {"direction", "up"},
        {"threshold", 0.07},
        {"alert", 0.12},
        {"history", {100.1, 99.9, 100.2, 99.8, 100.0, 100.1}},
        {"prebuilt", {0, candidates}},
        {"prior", nullptr},
        {"max_runs", 400},
        {"max_builds", 60}};
}

json ask(PlanTalk& talk, const json& message) {
    return json::parse(talk.answer(message.dump()));
}

/// Plays a world whose level rises by `effect` at `culprit`; a broken commit never builds.
json play(PlanTalk& talk, int candidates, int culprit, double effect, int broken = -1) {
    REQUIRE(ask(talk, hello(candidates)).at("ready") == true);
    json results = json::array();
    int jobs = 0;
    int turn = 0;
    for (int step = 0; step < 200; ++step) {
        const json answer = ask(talk, {{"type", "results"}, {"results", results}});
        INFO(answer.dump());
        if (answer.contains("done")) return answer.at("done");
        results = json::array();
        for (const auto& job : answer.at("run")) {
            bool failed = false;
            for (const int commit : job.at("seq")) {
                if (commit == broken && failed) continue;
                json result{{"commit", commit}, {"job", jobs}};
                failed |= commit == broken;
                const double wobble = 1 + 0.001 * (turn++ % 3 - 1);
                if (commit == broken) {
                    result["build_failed"] = true;
                } else {
                    result["value"] = 100 * wobble * (commit >= culprit ? 1 + effect : 1);
                }
                results.push_back(result);
            }
            ++jobs;
        }
    }
    FAIL("no end");
    return {};
}

}  // namespace

TEST_CASE("A planner names the culprit over lines of JSON", "[service][cli]") {
    PlanTalk talk;
    const json done = play(talk, 40, 17, 0.12);
    CHECK(done.at("verdict") == "culprit");
    CHECK(done.at("culprits").at(0).at("lo") == 17);
    CHECK(done.at("culprits").at(0).at("hi") == 17);
    CHECK(done.at("culprits").at(0).at("effect").get<double>() == Approx(0.12).margin(0.01));
}

TEST_CASE("A persistent planner starts afresh", "[service][cli]") {
    PlanTalk talk;
    CHECK(play(talk, 40, 17, 0.12).at("culprits").at(0).at("lo") == 17);
    CHECK(talk.answer(R"({"type":"end"})").empty());
    CHECK(play(talk, 25, 3, 0.2).at("culprits").at(0).at("lo") == 3);
    CHECK(play(talk, 25, 99, 0.2).at("verdict") == "none");
}

TEST_CASE("A culprit that cannot be built is named as a range", "[service][cli]") {
    PlanTalk talk;
    const json done = play(talk, 20, 9, 0.2, 9);
    CHECK(done.at("verdict") == "culprit");
    CHECK(done.at("culprits").at(0).at("lo") == 9);
    CHECK(done.at("culprits").at(0).at("hi") == 10);
}

TEST_CASE("A planner says what is wrong with a line and goes on", "[service][cli]") {
    PlanTalk talk;
    const auto complaint = [&](const std::string& line) {
        return json::parse(talk.answer(line)).at("error").get<std::string>();
    };
    CHECK_THAT(complaint("no JSON"), Catch::Contains("the line"));
    CHECK_THAT(complaint("[]"), Catch::Contains("object"));
    CHECK_THAT(complaint(R"({"type":"stop"})"), Catch::Contains("start, results or end"));
    CHECK_THAT(complaint(R"({"type":"results","results":[]})"), Catch::Contains("before a start"));
    CHECK_THAT(complaint(R"({"type":"start","candidates":0})"), Catch::Contains("candidates"));
    json bad = hello(10);
    bad["prior"] = {1, 2};
    CHECK_THAT(complaint(bad.dump()), Catch::Contains("10 weights"));
    ask(talk, hello(10));
    CHECK(ask(talk, {{"type", "results"}, {"results", json::array()}}).contains("run"));
    const std::string unknown = R"({"type":"results","results":[{"job":7,"commit":1,"value":3}]})";
    CHECK_THAT(complaint(unknown), Catch::Contains("job"));
    const std::string negative =
        R"({"type":"results","results":[{"job":0,"commit":1,"value":-3}]})";
    CHECK_THAT(complaint(negative), Catch::Contains("value"));
}
