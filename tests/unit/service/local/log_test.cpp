#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "service/local/explain.hpp"
#include "tests/unit/service/local/scene.hpp"

using namespace vigil;
using namespace vigil::local;
using namespace vigil::local::test;
using Catch::Contains;

TEST_CASE("A log line read is the line written", "[service][local]") {
    for (const LogEntry& entry : played(started(12), 7, 0.2, 6)) {
        const std::string line = write_entry(entry);
        CHECK(write_entry(parse_entry(line, "the line")) == line);
    }
    Paused paused{5, "why\n\"not\""};
    CHECK(write_entry(parse_entry(write_entry(paused), "it")) == write_entry(paused));
}

TEST_CASE("A line that a kill cut is left out, any other wrong line is named", "[service][local]") {
    std::string text;
    for (const LogEntry& entry : played(started(5), 3, 0.2)) text += write_entry(entry) + "\n";
    std::size_t whole = 0;
    const auto all = parse_log(text, "x.jsonl", whole).size();
    CHECK(whole == text.size());
    CHECK(parse_log(text.substr(0, text.size() - 1), "x.jsonl", whole).size() == all - 1);
    CHECK(whole < text.size() - 1);
    CHECK_THROWS_WITH(parse_log("{}\n", "x.jsonl", whole), Contains("x.jsonl, line 1"));
    CHECK_THROWS_WITH(
        parse_log(text + "no JSON\n", "x.jsonl", whole),
        Contains("line " + std::to_string(all + 1)));
    CHECK_THROWS_AS(parse_entry(R"({"event":"stop"})", "it"), Error);
    CHECK_THROWS_AS(parse_entry(R"({"event":"run","probe":0,"position":0,"x":1})", "it"), Error);
}

TEST_CASE("Lines that cannot follow those before them are refused", "[service][local]") {
    Story empty;
    CHECK_THROWS_AS(empty.add(RunBegun{0, 0}), Error);
    Story story;
    story.add(started(3));
    CHECK_THROWS_AS(story.add(started(3)), Error);
    CHECK_THROWS_AS(story.add(RunEnded{0, 0, 1, 1, ""}), Error);
    CHECK_THROWS_AS(story.add(ProbeRequested{1, {}}), Error);
    search::ProbeRequest outside;
    outside.commits = {0, 4};
    outside.series = {0};
    CHECK_THROWS_AS(story.add(ProbeRequested{0, outside}), Error);
    outside.commits = {0, 3};
    story.add(ProbeRequested{0, outside});
    story.add(RunEnded{0, 1, 1, 1, ""});
    CHECK_THROWS_WITH(story.add(RunEnded{0, 1, 1, 1, ""}), Contains("measured twice"));
    CHECK_THROWS_AS(story.add(RunEnded{0, 2, 1, 1, ""}), Error);
}

TEST_CASE("A probe counts when it is over, and not before", "[service][local]") {
    Story story;
    story.add(started(4));
    search::ProbeRequest ends;
    ends.commits = {0, 4, 4, 0};
    ends.series = {0};
    story.add(ProbeRequested{0, ends});
    for (int position = 0; position < 3; ++position) {
        story.add(RunEnded{0, position, 100, 1, ""});
        CHECK(story.facts().observations.empty());
        CHECK(story.facts().open_probes == std::vector<int>{0});
    }
    story.add(RunEnded{0, 3, 100, 1, ""});
    CHECK(story.facts().observations.size() == 4);
    CHECK(story.facts().open_probes.empty());
}

TEST_CASE(
    "A commit whose runs all fail is told to the search as one that cannot be run",
    "[service][local]") {
    Story story;
    story.add(started(4));
    search::ProbeRequest probe;
    probe.commits = {0, 2, 2, 0};
    probe.series = {0};
    story.add(ProbeRequested{0, probe});
    story.add(RunEnded{0, 0, 100, 1, ""});
    story.add(RunEnded{0, 1, {}, 1, "crashed"});
    CHECK_FALSE(story.probes()[0].over);
    story.add(RunEnded{0, 2, {}, 1, "crashed"});
    CHECK(story.probes()[0].over);
    REQUIRE(story.facts().failures.size() == 1);
    CHECK(story.facts().failures[0].commit == 2);
    CHECK(story.facts().failures[0].built);
}

TEST_CASE("What builds and runs take becomes the search's costs", "[service][local]") {
    const auto log = played(started(20), 9, 0.3);
    const auto story = replay_story(log);
    CHECK(story.problem().costs.build == Approx(10));  // 20 s and 2 s
    CHECK(story.problem().weights.empty());
    auto likely = started(4);
    likely.order.path = "src";
    Story with_path;
    with_path.add(likely);
    CHECK(with_path.problem().weights == std::vector<double>{1, 10, 1, 10});
    likely.suspects[3].commits = 7;
    Story with_merge;
    with_merge.add(parse_entry(write_entry(likely), "x"));
    CHECK(with_merge.problem().weights == std::vector<double>{1, 10, 1, 70});
}

TEST_CASE("A log replays to its own answer, and a forged one is found out", "[service][local]") {
    auto log = played(started(30), 17, 0.15, 18);
    const auto same = replay(log);
    CHECK(same.difference.empty());
    REQUIRE(same.decision.done);
    CHECK(same.decision.endings[0].first == 17);
    std::get<SearchEnded>(log.back()).first = 16;
    CHECK_THAT(replay(log).difference, Contains("it ended with culprit 16"));
    log.pop_back();
    for (auto& entry : log) {
        auto* asked = std::get_if<ProbeRequested>(&entry);
        if (asked != nullptr && asked->number == 2)
            asked->request.purpose = search::ProbePurpose::verify;
    }
    CHECK_THAT(replay(log).difference, Contains("probe 2"));
}

TEST_CASE("A change of any size is found, however far above the threshold", "[service][local]") {
    for (const double effect : {0.1, 0.3, 1.0, 3.0, 44.0, 1e4}) {
        INFO("effect " << effect);
        const auto found = replay(played(started(40), 23, effect));
        REQUIRE(found.decision.done);
        CHECK(found.decision.endings[0].ending == search::Ending::culprit);
        CHECK(found.decision.endings[0].first == 23);
        CHECK(found.difference.empty());
    }
    const auto better = replay(played(started(40), 23, -0.9));
    REQUIRE(better.decision.done);
    CHECK(better.decision.endings[0].ending == search::Ending::not_reproduced);
}

TEST_CASE("Time that is spent ends the search, and a new start gives it more", "[service][local]") {
    Story story;
    story.add(started(9));
    Spending minute;
    minute.seconds = 60;
    story.add(Resumed{0, 1, minute});
    search::ProbeRequest ends;
    ends.commits = {0, 9};
    ends.series = {0};
    story.add(ProbeRequested{0, ends});
    story.add(RunEnded{0, 0, 100, 61, ""});
    CHECK(story.out_of_time());
    CHECK(story.decide().done);
    story.add(Resumed{0, 1, minute});
    CHECK_FALSE(story.out_of_time());
    CHECK(story.facts().open_probes == std::vector<int>{0});
}

TEST_CASE("An explanation tells each step, why, and what was seen", "[service][local]") {
    const auto text = explain(played(started(16), 11, 0.2, 8), 40);
    CHECK_THAT(text, Contains("step 1") && Contains("the two ends, measured again"));
    CHECK_THAT(text, Contains("does not build: no rule"));
    CHECK_THAT(text, Contains("culprit found") && Contains(hash_of(11).str()));
}
