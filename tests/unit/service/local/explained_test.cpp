#include "service/local/explained.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "service/local/answer.hpp"
#include "service/local/explain.hpp"
#include "service/local/report.hpp"
#include "service/local/steadier.hpp"
#include "tests/unit/service/local/scene.hpp"

using namespace vigil;
using namespace vigil::local;
using namespace vigil::local::test;
using Catch::Contains;

namespace {

std::string answer_to(const std::vector<LogEntry>& log) {
    return answer_text({{replay_story(log), replay(log).decision}});
}

Started better_sought(int suspects) {
    auto start = started(suspects);
    start.order.better = true;
    return start;
}

/// A merge at the end of the line, as its search saw it.
std::vector<LogEntry> merge_found(const MergeSeen& seen) {
    auto start = started(6);
    start.suspects[5].merge = true;
    auto log = played(start, 6, 0.3);
    log.insert(log.end() - 1, seen);
    return log;
}

}  // namespace

TEST_CASE("A bad end that is better is called better, with the way to search it", "[service]") {
    const auto log = played(started(8), 3, -0.32);
    const auto text = answer_to(log);
    CHECK_THAT(text, Contains("not reproduced: the bad end is better than the good one"));
    CHECK_THAT(text, Contains("effect    -32.0 %") || Contains("effect    -31.9 %"));
    CHECK_THAT(text, Contains("next      with --better searches for the commit that made it"));
    CHECK_THAT(text, Contains("vigil bisect run --repo /src/it") && Contains(" --better\n"));
    CHECK_THAT(text, !Contains("measure the same") && !Contains("do not differ"));
    const auto story = replay_story(log);
    const auto json = answer_json({{story, replay(log).decision}});
    CHECK(json.at("ends").at("change_ratio").get<double>() == Approx(-0.32).margin(0.01));
    CHECK_THAT(markdown_report({{story, replay(log).decision}}), Contains("between the ends"));
}

TEST_CASE("Ends that are equal say what else may be: the good commit itself", "[service][local]") {
    auto start = started(5);
    start.good_parent = Revision(std::string(40, 'b'));
    const auto text = answer_to(played(start, 99, 0.3));
    CHECK_THAT(text, Contains("the ends do not differ") && !Contains("--better"));
    CHECK_THAT(text, Contains("if " + hash_of(0).brief() + " is worse already"));
    CHECK_THAT(text, Contains("--good " + start.good_parent.str() + " --bad " + hash_of(0).str()));
    start.good_parent = Revision();
    CHECK_THAT(answer_to(played(start, 99, 0.3)), !Contains("--bad " + hash_of(0).str()));
}

TEST_CASE("The commit that made it better is found, and its change told as it is", "[service]") {
    auto start = better_sought(9);
    start.order.measure = GENERATE(Measure::cpu, Measure::samples);
    const auto log = played(start, 4, -0.3);
    const auto found = replay(log);
    CHECK(found.difference.empty());
    const auto& ending = found.decision.endings.front();
    REQUIRE(ending.ending == search::Ending::culprit);
    CHECK(ending.first == 4);
    CHECK(ending.verified.change_ratio == Approx(-0.3).margin(0.01));
    CHECK(ending.verified.low < ending.verified.change_ratio);
    CHECK(ending.verified.high > ending.verified.change_ratio);
    CHECK(ending.verified.finding == Finding::better);
    CHECK(ending.verified.before > ending.verified.after);
    CHECK(ending.verified.before == Approx(100).epsilon(0.01));
    CHECK_THAT(ending.reason, Contains("-30.") || Contains("-29."));
    REQUIRE(ending.explained);
    CHECK(ending.explained->whole_ratio == Approx(-0.3).margin(0.01));
    CHECK(ending.explained->share == Approx(1).margin(0.02));
    const auto story = replay_story(log);
    const auto json = answer_json({{story, found.decision}});
    CHECK(json.at("better") == true);
    for (const auto& level : json.at("levels")) {
        const bool after = level.at("number").get<int>() >= 4;
        CHECK(level.at("change_ratio").get<double>() == Approx(after ? -0.3 : 0).margin(0.01));
    }
    CHECK(write_entry(parse_entry(write_entry(log.front()), "it")) == write_entry(log.front()));
}

TEST_CASE("A search for what made it better is told that it got worse", "[service][local]") {
    const auto text = answer_to(played(better_sought(8), 3, 0.3));
    CHECK_THAT(text, Contains("not reproduced: the bad end is worse than the good one"));
    CHECK_THAT(text, Contains("without --better searches for the commit that made it worse"));
    CHECK_THAT(text, Contains("vigil bisect run ") && !Contains(" --better\n"));
    CHECK_THAT(answer_to(played(better_sought(5), 99, 0.3)), Contains("is better already"));
}

TEST_CASE("One commit is no stretch", "[service][local]") {
    const auto story = replay_story(played(started(10), 6, 0.3));
    const auto text = remaining_text(story, {4, 4, 0.08, 0.85});
    CHECK_THAT(text, Contains("most likely in " + hash_of(4).brief() + " (") && !Contains(" to "));
    CHECK(stretch_text(story, 2, 2) == hash_of(2).brief());
}

TEST_CASE("A build that worked at the second try builds", "[service][local]") {
    auto log = played(started(6), 4, 0.3);
    const auto built = std::find_if(log.begin(), log.end(), [](const LogEntry& entry) {
        return std::holds_alternative<BuildEnded>(entry);
    });
    REQUIRE(built != log.end());
    auto failed = std::get<BuildEnded>(*built);
    failed.built = false;
    failed.digest.clear();
    failed.message = "no rule";
    log.insert(built, failed);
    const auto story = replay_story(log);
    const auto found = replay(log);
    CHECK_FALSE(does_not_build(story.commit(failed.commit)));
    for (const auto& text :
         {answer_text({{story, found.decision}}),
          explain(log, 40),
          markdown_report({{story, found.decision}}),
          html_report({{story, found.decision}})}) {
        CHECK_THAT(text, !Contains("does not build"));
    }
}

TEST_CASE("What a merge brought is searched by commits that can be, or not at all", "[service]") {
    const auto brought = Revision(std::string(40, 'c'));
    const auto advised = answer_to(merge_found({6, {brought}, ""}));
    CHECK_THAT(
        advised, Contains("--good " + hash_of(5).brief() + " --bad " + brought.brief() + "\n"));
    const auto none = answer_to(merge_found({6, {}, "the two have no common history"}));
    CHECK_THAT(none, Contains("cannot be searched: the two have no common history"));
    CHECK_THAT(none, !Contains("^2") && !Contains("search inside"));
    const auto log = merge_found({6, {brought}, ""});
    for (const auto& entry : log) {
        CHECK(write_entry(parse_entry(write_entry(entry), "it")) == write_entry(entry));
    }
}

TEST_CASE("Runs at once that slow an end are told from those that do not", "[service][local]") {
    double slowdown = 0;
    const auto round = [](double good, double bad, double moment = 1) {
        return InterferenceRound{
            {{good, good + 1}, {bad, bad - 1}}, {{100 * moment, 101 * moment}, {100, 99}}};
    };
    CHECK(judge_interference({round(101, 100)}, slowdown) == InterferenceVerdict::fits);
    CHECK(judge_interference({round(90, 80)}, slowdown) == InterferenceVerdict::fits);
    // All runs at once of one round may have met a slow moment.
    CHECK(judge_interference({round(130, 140)}, slowdown) == InterferenceVerdict::open);
    CHECK(
        judge_interference({round(101, 140), round(101, 139)}, slowdown) ==
        InterferenceVerdict::disturbs);
    CHECK(slowdown == Approx(0.4).margin(0.02));
    const auto noisy = {round(130, 120, 1.2), round(95, 98, 0.8), round(101, 100, 1.1)};
    CHECK(judge_interference(noisy, slowdown) == InterferenceVerdict::fits);
}

TEST_CASE("Where runs at once disturb each other, only runs alone count", "[service][local]") {
    auto start = started(4);
    start.order.measure = Measure::cpu;
    start.order.at_once = 6;
    Story story;
    story.add(start);
    search::ProbeRequest ends;
    ends.commits = {0, 4, 4, 0};
    ends.series = {0};
    story.add(ProbeRequested{0, ends});
    for (int position = 0; position < 4; ++position) {
        story.add(RunEnded{0, position, position % 3 == 0 ? 100.0 : 159.0, 1, "", 0});
    }
    CHECK(story.values_together().good.size() == 2);
    CHECK(story.facts().observations.size() == 4);
    const Interference interference{{{90, 90}, {130, 130}}, {{91}, {131}}, 0.2, 1, 4};
    story.add(interference);
    CHECK(story.at_once() == 1);
    CHECK(story.problem().at_once == 1);
    CHECK(story.facts().observations.empty());
    CHECK(story.runs() == 10);
    CHECK(write_entry(parse_entry(write_entry(interference), "it")) == write_entry(interference));
    CHECK(answer_json({{story, story.decide()}}).at("at_once") == 1);
}
