#include "service/lab/backtest.hpp"

#include <fstream>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "service/lab/commands.hpp"
#include "service/lab/watch_rule.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/unit/service/cli/said.hpp"

using namespace vigil;
using Catch::Contains;
using nlohmann::json;
using test::jitter_of;
using test::Said;
using test::sampled_csv;
using test::stepped_csv;

namespace {

Said say(const std::vector<std::string>& args, const std::string& input = "") {
    return test::say(args, input, false, cli::lab_program());
}

json say_json(const std::vector<std::string>& args, const std::string& input) {
    return test::say_json(args, input, cli::lab_program());
}

}  // namespace

TEST_CASE("A backtest counts alarms and how late they are", "[service][lab]") {
    const json answer = say_json({"backtest", "-"}, stepped_csv(1.15));
    const json& totals = answer.at("totals");
    CHECK(totals.at("nights") == 60);
    CHECK(totals.at("alarms") == 1);
    CHECK(totals.at("alarms_per_1000_nights").get<double>() == Approx(1000.0 / 60));
    CHECK(totals.at("false_alarms") == 0);
    CHECK(totals.at("labels") == 1);
    CHECK(totals.at("caught_within_1") == 1);
    CHECK(totals.at("median_delay") == 1);
    CHECK(totals.at("exact") == 1);
    const auto said = say({"backtest", "-"}, stepped_csv(1.15));
    CHECK(said.code == 0);
    CHECK_THAT(said.out, Contains("alarms: 1 (16.67 for each 1,000 nights)"));
    CHECK(
        say_json({"backtest", "-", "--start", "50"}, stepped_csv(1.15)).at("totals").at("alarms") ==
        0);
    CHECK(say({"backtest", "-", "--within", "x"}, "").code == 2);
    CHECK(say({"backtest"}, "").code == 2);
}

TEST_CASE("Alarms without a label of their own are false, late ones too", "[service][lab]") {
    cli::History history;
    history.labelled = true;
    for (int i = 0; i < 100; ++i) {
        history.values.push_back((i < 30 ? 100 : i < 60 ? 120 : 150) * jitter_of(i));
        history.nights.push_back(std::to_string(i));
    }
    history.labels = {60, 90};
    const auto replay = cli::replay_history(history, {});
    REQUIRE(replay.alarms.size() == 2);
    CHECK_FALSE(replay.alarms[0].label);
    CHECK(replay.alarms[1].label == 60);
    CHECK(replay.delays.at(0) == 1);
    CHECK_FALSE(replay.delays.at(1));
    auto totals = cli::totals_of({replay});
    CHECK(totals.false_alarms == 1);
    CHECK(totals.caught == 1);
    CHECK(totals.labels == 2);
    cli::BacktestRules at_once;
    at_once.within = 0;
    totals = cli::totals_of({cli::replay_history(history, at_once)});
    CHECK(totals.false_alarms == 2);
    CHECK(totals.caught == 0);
    history.labelled = false;
    CHECK(cli::totals_of({cli::replay_history(history, {})}).labelled_nights == 0);
}

TEST_CASE("A rule is read strictly, and what it leaves out is as by default", "[service][lab]") {
    const auto rule = cli::parse_watch_rule(R"({"own_noise_margin": 12, "suspicious": 6})", "r");
    CHECK(rule.watch.own_noise == 12);
    CHECK(rule.suspicious == 6);
    CHECK(rule.watch.rank == trend::LevelWatchRules{}.rank);
    const auto whole = cli::watch_rule_json(rule);
    CHECK(cli::watch_rule_json(cli::parse_watch_rule(whole.dump(), "r")) == whole);
    for (const char* bad :
         {"",
          "[]",
          "{\"own_noise\": 1}",
          "{\"newest_nights\": 17}",
          "{\"newest_nights\": 2.5}",
          "{\"least_spread\": 0}",
          "{\"rank_margin\": \"6\"}",
          "{\"local_share\": 1e999}",
          "{\"kept_nights\": 50, \"level_nights\": 60}",
          "{\"least_level_nights\": 5, \"least_suspicion_nights\": 6}"}) {
        CAPTURE(bad);
        CHECK_THROWS_AS(cli::parse_watch_rule(bad, "r"), Error);
    }
}

TEST_CASE("A backtest under another rule tells which alarms appear and vanish", "[service][lab]") {
    const test::ScratchFolder folder;
    const auto write = [&](const char* name, const std::string& text) {
        std::ofstream(folder / name, std::ios::binary) << text;
        return (folder / name).string();
    };
    const auto deaf = write("deaf.json", R"({"least_change_ratio": 0.5})");
    const auto same = write("same.json", "{}");
    const auto slow = write("slow.json", R"({"own_noise_margin_of_two": 900})");
    const auto lost = say({"backtest", "-", "--rule", deaf}, sampled_csv());
    CHECK(lost.code == 0);
    CHECK_THAT(lost.out, Contains("vanishes  s       41      -            40"));
    CHECK_THAT(lost.out, Contains("0 alarms appear, 1 vanish"));
    CHECK_THAT(
        say({"backtest", "-", "--rule", same}, sampled_csv()).out,
        Contains("the same alarms on the same nights"));
    const json late =
        json::parse(say({"backtest", "-", "--rule", slow, "--json"}, sampled_csv()).out);
    REQUIRE(late.at("alarm_changes").size() == 1);
    CHECK(late.at("alarm_changes").at(0).at("kind") == "later");
    CHECK(late.at("alarm_changes").at(0).at("before").at("night") == "41");
    CHECK(late.at("alarm_changes").at(0).at("after").at("night") == "42");
    CHECK(late.at("under_rule").at("rule").at("own_noise_margin_of_two") == 900);
    CHECK(say({"backtest", "-", "--rule", folder.path().string()}, sampled_csv()).code == 4);
    CHECK(say({"backtest", "-", "--rule", (folder / "no").string()}, sampled_csv()).code == 4);
    CHECK(
        say({"backtest", "-", "--rule", write("bad.json", "{\"x\":1}")}, sampled_csv()).code == 4);
}

TEST_CASE("The program says what it is, and what it cannot read", "[service][lab]") {
    const auto help = say({"--help"}, "");
    CHECK(help.code == 0);
    CHECK_THAT(help.out, Contains("vigil-lab backtest FILE") && !Contains("vigil detect"));
    CHECK_THAT(say({"detect"}, "").err, Contains("See vigil-lab help"));
    const auto broken = say({"backtest", "-"}, "night,value\n1,inf\n");
    CHECK(broken.code == 4);
    CHECK_THAT(broken.err, Contains("line 2, column 3: the value is infinite"));
}
