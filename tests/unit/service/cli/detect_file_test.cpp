#include <cmath>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "service/cli/detect/text_plot.hpp"
#include "tests/unit/service/cli/said.hpp"

using namespace vigil;
using Catch::Contains;
using nlohmann::json;
using test::jitter_of;
using test::say;
using test::say_json;
using test::stepped_csv;

TEST_CASE("A file's changes are told with their night, levels and interval", "[service][cli]") {
    const auto said = say({"detect", "-"}, stepped_csv(1.15));
    CHECK(said.code == 1);
    CHECK_THAT(said.out, Contains("worse  40     40"));
    CHECK_THAT(said.out, Contains("+15."));
    CHECK_THAT(said.out, Contains("newest night 59: suspicion 0.0"));
    const json answer = say_json({"detect", "-"}, stepped_csv(1.15));
    const json& change = answer.at("series").at(0).at("changes").at(0);
    CHECK(change.at("first") == "40");
    CHECK(change.at("kind") == "worse");
    CHECK(change.at("raised") == "41");
    CHECK(change.at("before").get<double>() == Approx(100).margin(0.5));
    CHECK(change.at("after").get<double>() == Approx(115).margin(0.5));
    CHECK(change.at("low").get<double>() < 0.15);
    CHECK(change.at("high").get<double>() > 0.15);
    CHECK(answer.at("worse") == 1);
}

TEST_CASE("How detect ends says whether something got worse", "[service][cli]") {
    CHECK(say({"detect", "-"}, stepped_csv(1)).code == 0);
    CHECK(say({"detect", "-"}, stepped_csv(1.05)).code == 0);
    CHECK(say({"detect", "-", "--threshold", "4%"}, stepped_csv(1.05)).code == 1);
    CHECK(say({"detect", "-", "--direction", "higher"}, stepped_csv(1.15)).code == 0);
    CHECK(say({"detect", "-", "--direction", "higher"}, stepped_csv(0.85)).code == 1);
    CHECK(say({"detect", "-", "--since", "41"}, stepped_csv(1.15)).code == 0);
    CHECK(say({"detect", "-", "--since", "40"}, stepped_csv(1.15)).code == 1);
    CHECK(say({"detect", "-"}, "night,value\n1,1\n").code == 5);
    CHECK(say({"detect", "-"}, "night,value\n1,x\n").code == 4);
    CHECK(say({"detect", "/nowhere/h.csv"}, "").code == 4);
    CHECK(say({"detect", "/"}, "").code == 4);
    CHECK(say({"detect"}, "").code == 2);
    CHECK(say({"detect", "-", "--stdio"}, "").code == 2);
    CHECK(say({"detect", "-", "--direction", "up"}, "").code == 2);
    CHECK(say({"detect", "-", "--since", "soon"}, "").code == 2);
    CHECK(say({"detect", "-", "--threshold", "0"}, "").code == 2);
    CHECK(say({"detect", "-", "--since", "2026-01-01"}, stepped_csv(1.15)).code == 4);
    const auto wrong = say({"detect", "-", "--series", "t"}, stepped_csv(1));
    CHECK(wrong.code == 4);
    CHECK_THAT(wrong.err, Contains("'t'"));
}

TEST_CASE("A step into another environment is no worsening", "[service][cli]") {
    std::string text = "night,value,environment\n";
    for (int i = 0; i < 60; ++i) {
        text += fmt::format(
            "{},{},{}\n", i, (i < 40 ? 100 : 120) * jitter_of(i), i < 40 ? "old" : "new");
    }
    const auto said = say({"detect", "-"}, text);
    CHECK(said.code == 0);
    CHECK_THAT(said.out, Contains("environment  40"));
}

TEST_CASE("What the newest nights raise is told before a level can be seen", "[service][cli]") {
    std::string text = "night,value\n";
    for (int i = 0; i < 42; ++i) {
        text += fmt::format("{},{}\n", i, (i < 40 ? 100 : 115) * jitter_of(i));
    }
    const json answer = say_json({"detect", "-"}, text);
    REQUIRE(answer.at("series").at(0).at("changes").size() == 1);
    CHECK(answer.at("series").at(0).at("changes").at(0).at("first") == "40");
    // A night earlier it is a suspicion, and says what it waits for.
    const auto last = text.rfind("41,");
    const json earlier = say_json({"detect", "-"}, text.substr(0, last));
    const json& newest = earlier.at("series").at(0).at("newest");
    CHECK(earlier.at("series").at(0).at("changes").empty());
    CHECK(newest.at("suspicion").get<double>() > 4.5);
    CHECK(newest.at("since").at("first") == "40");
    CHECK(newest.at("waiting_for") == "disagreement");
    CHECK(earlier.at("suspicious") == 1);
}

TEST_CASE("Every night's decision is explained", "[service][cli]") {
    const auto said = say({"detect", "-", "--explain"}, stepped_csv(1.15));
    CHECK_THAT(said.out, Contains("learning: night 1 of the 13"));
    CHECK_THAT(said.out, Contains("a step of +7"));
    CHECK_THAT(said.out, Contains("worse since 40 (40 to 40)"));
    const json answer = say_json({"detect", "-", "--explain"}, stepped_csv(1.15));
    CHECK(answer.at("series").at(0).at("explained").size() == 60);
}

TEST_CASE("Only a terminal gets a plot, and text from a file cannot steer it", "[service][cli]") {
    CHECK_THAT(say({"detect", "-"}, stepped_csv(1.15), true).out, Contains("─"));
    CHECK_THAT(say({"detect", "-"}, stepped_csv(1.15)).out, !Contains("─"));
    const auto said = say({"detect", "-"}, stepped_csv(1.15, "a\x1b[2J"), true);
    CHECK_THAT(said.out, Contains("a[2J") && !Contains("\x1b"));
}

TEST_CASE("A plot shows levels, points and gaps, whatever the values", "[service][cli]") {
    std::vector<double> values(200, 10);
    std::fill(values.begin() + 100, values.end(), 12);
    std::fill(values.begin() + 20, values.begin() + 40, std::nan(""));
    const std::vector<std::size_t> starts{100};
    const std::string plot = cli::text_plot(values, starts, 60);
    CHECK(std::count(plot.begin(), plot.end(), '\n') == 8);
    CHECK_THAT(plot, Contains("12 |") && Contains("10 |") && Contains("◆") && Contains("─"));
    CHECK(cli::text_plot({}, {}, 60).empty());
    CHECK(cli::text_plot(std::vector<double>(9, std::nan("")), {}, 60).empty());
    CHECK_FALSE(cli::text_plot(std::vector<double>{1e308, -1e308, 0}, {}, 0).empty());
}
