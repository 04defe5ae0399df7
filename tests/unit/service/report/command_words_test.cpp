#include "service/report/deliver/command_words.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "tests/unit/service/report/hostile_texts.hpp"

using namespace vigil;
using namespace vigil::service;

namespace {

constexpr std::int64_t requested_at_s = 1'795'229'100;  // 2026-11-21

template <class Wish>
Wish read_as(const std::string& line) {
    const auto wish = read_command(line, requested_at_s);
    REQUIRE(std::holds_alternative<Wish>(wish));
    return std::get<Wish>(wish);
}

}  // namespace

TEST_CASE("A command is the first line of a comment", "[service][report]") {
    CHECK(find_command("/vigil ack") == "/vigil ack");
    CHECK(find_command("\r\n  /vigil accept worth it \r\nmore words") == "/vigil accept worth it");
    CHECK(find_command("/vigil") == "/vigil");
    for (const auto* comment :
         {"",
          "  \n ",
          "ack",
          "please /vigil ack",
          "> /vigil ack",
          "hello\n/vigil ack",
          "```\n/vigil ack\n```",
          "/vigilant",
          "/Vigil ack"}) {
        CAPTURE(comment);
        CHECK_FALSE(find_command(comment).has_value());
    }
    CHECK_FALSE(find_command("/vigil accept " + std::string(2000, 'x')).has_value());
    for (const auto& text : hostile_texts()) {
        CHECK_FALSE(find_command(text).has_value());
        const auto line = find_command("/vigil accept " + text);
        if (line) CHECK(line->find('\n') == line->npos);
    }
}

TEST_CASE("A command says what becomes of a regression, and why", "[service][report]") {
    CHECK(read_as<DecideCommand>("/vigil ack").to == RegressionState::acknowledged);
    CHECK(read_as<DecideCommand>("/vigil ack on it").reason == "on it");
    const auto accepted = read_as<DecideCommand>("/vigil   accept  the checks are worth it");
    CHECK(accepted.to == RegressionState::accepted);
    CHECK(accepted.reason == "the checks are worth it");
    CHECK(read_as<DecideCommand>("/vigil refute the fan").to == RegressionState::refuted);
    CHECK(read_as<DecideCommand>("/vigil reopen it did not").to == RegressionState::reported);
    const auto muted = read_as<MuteCommand>("/vigil mute 14d a release is near");
    CHECK(muted.until_s == requested_at_s + 14 * 86'400);
    CHECK(muted.reason == "a release is near");
    CHECK(read_as<MuteCommand>("/vigil mute 12h x").until_s == requested_at_s + 12 * 3600);
    CHECK(read_as<MuteCommand>("/vigil mute 2026-12-24 x").until_s == 1'798'070'400);
}

TEST_CASE("A command asks for measuring by one word", "[service][report]") {
    CHECK(read_as<MeasureCommand>("/vigil rerun") == MeasureCommand::rerun);
    CHECK(read_as<MeasureCommand>("/vigil  rebisect ") == MeasureCommand::rebisect);
    CHECK(read_as<MeasureCommand>("/vigil bench") == MeasureCommand::bench);
    for (const auto* line :
         {"/vigil rerun it", "/vigil bench 7", "/vigil Rerun", "/vigil reruns"}) {
        CAPTURE(line);
        CHECK_FALSE(read_as<WrongCommand>(line).why.empty());
    }
}

TEST_CASE("Below a pull request its commit is named whole or not at all", "[service][report]") {
    const std::string hash(40, 'a');
    const auto named = [](const std::string& line) {
        const auto wish = read_pull_command(line);
        return std::holds_alternative<PullCommand>(wish) ? std::get<PullCommand>(wish).revision
                                                         : "refused";
    };
    CHECK(named("/vigil bench").empty());
    CHECK(named("/vigil bench " + hash) == hash);
    CHECK(named("/vigil bench " + hash.substr(1)) == "refused");
    CHECK(named("/vigil bench aaaaaaa") == "refused");
    CHECK(named("/vigil bench " + std::string(40, 'A')) == "refused");
    CHECK(named("/vigil bench " + hash + " please") == "refused");
    for (const auto* line : {"/vigil", "/vigil ack", "/vigil rerun", "/vigil BENCH"}) {
        CAPTURE(line);
        CHECK(named(line) == "refused");
    }
}

TEST_CASE("What is no command is answered with what is", "[service][report]") {
    for (const auto* line :
         {"/vigil",
          "/vigil  ",
          "/vigil close",
          "/vigil ACK",
          "/vigil accept",
          "/vigil refute ",
          "/vigil reopen",
          "/vigil mute",
          "/vigil mute 14d",
          "/vigil mute tomorrow x",
          "/vigil mute 0d x",
          "/vigil mute -3d x",
          "/vigil mute 400d x",
          "/vigil mute 2026-11-01 x",
          "/vigil mute 99999999999999999999d x",
          "/vigil mute 14x y"}) {
        CAPTURE(line);
        CHECK_FALSE(read_as<WrongCommand>(line).why.empty());
    }
    CHECK(read_as<WrongCommand>("/vigil help").why.find("`accept REASON`") != std::string::npos);
}
