#include <cmath>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "tests/bench/nights/fleet.hpp"
#include "tests/bench/nights/record_json.hpp"
#include "tests/bench/nights/tables.hpp"
#include "tests/bench/nights/year.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::nights;

namespace {

/// Twelve series of one class with a few commits a night.
Options small(int nights) {
    Options options;
    options.benchmarks = 2;
    options.classes = 1;
    options.nights = nights;
    options.moves = false;
    options.fewest_commits = 4;
    options.most_commits = 8;
    options.rate = 0;
    return options;
}

struct Played {
    World world;
    Record record;
    Score score;
    explicit Played(World the_world)
        : world(std::move(the_world)), record(play(world)), score(judge(world, record)) {}
    std::string text() const {
        std::string text = tables(score) + list("word", score);
        for (const auto& report : record.reports) text += report.title + "\n";
        for (const auto& one : record.suspicions) text += std::to_string(one.change) + "\n";
        return text;
    }
};

/// Nights without noise, in which one series gets worse at one commit.
World with_plant(int nights, double percent, const std::string& kind, int commit) {
    Options options = small(nights);
    options.noises = {"ZERO"};
    options.memory = {"MEMd"};
    options.warm = 10;
    options.broken = 0;
    options.merges = 0.2;
    const World drawn(options);
    std::vector<std::vector<Event>> events(drawn.series().size());
    events[0] = {{commit, std::log1p(percent / 100)}};
    const auto& place = drawn.commits().at(commit);
    const Plant plant{0, kind, percent, place.night, commit, place.on_branch(), {}, {}};
    return {options, drawn.commits(), {plant}, events};
}

}  // namespace

TEST_CASE("The same world is played to the same bytes", "[bench][nights]") {
    Options options = small(14);
    options.rate = 6;
    options.warm = 9;
    options.gap = 5;
    const Played first{World(options)};
    const Played second{World(options)};
    CHECK(first.record.played == 14);
    CHECK(first.record.stuck.empty());
    CHECK(!first.record.reports.empty());
    CHECK(first.text() == second.text());
    options.seed = "another";
    CHECK(first.text() != Played{World(options)}.text());
}

TEST_CASE("Workers that take their time are as long as their jobs", "[bench][nights]") {
    const World world(small(1));
    std::int64_t took_s = 0;
    Playing playing;
    playing.is_timed = true;
    playing.build_s = 600;
    playing.run_s = 30;
    playing.after_night = [&](service::Database&, const SoFar& so_far) {
        took_s = so_far.now_s - night_begins_s(0);
    };
    const auto record = play(world, playing);
    CHECK(record.stuck.empty());
    int runs = 0;
    for (const auto& [key, count] : record.runs) runs += count;
    CHECK(runs >= 2);
    // A minute until it begins. The second job waits for what the first one builds.
    CHECK(took_s == 60 + 600 + 30 * runs);
}

TEST_CASE("The ledger of a year is told by quarters", "[bench][nights]") {
    const test::ScratchFolder folder;
    std::string table;
    tell_year(small(8), (folder / "ledger.db").string(), [&](const auto& text) { table += text; });
    for (const auto* quarter : {"| 1 to 2 |", "| 3 to 4 |", "| 5 to 6 |", "| 7 to 8 |"}) {
        CHECK_THAT(table, Catch::Contains(quarter));
    }
    CHECK_THAT(table, Catch::Contains("/api/v1/"));
}

TEST_CASE("What noise alone raises is counted by its direction", "[bench][nights]") {
    Options options = small(14);
    options.warm = 10;
    const World world(options);
    Record record;
    record.played = 14;
    record.suspicions = {
        {0, 12, 11, 0.08, "noise", true, -0.01},
        {1, 12, 11, -0.09, "noise", true, 0.02},
        {2, 13, 12, 0.02, "watch", false},
        {2, 9, 8, 0.5, "noise", true}};  // of a young series
    record.drifts = {{3, 13, 0.03}, {3, std::nullopt, 0.03}};
    const auto& noise = judge(world, record).noise_only;
    CHECK(noise.series_nights == 4.0 * static_cast<double>(world.series().size()));
    CHECK(noise.suspicions.worse == 2);
    CHECK(noise.suspicions.better == 1);
    CHECK(noise.measured.worse == 1);
    CHECK(noise.measured.better == 1);
    CHECK(noise.drifts.worse == 1);
    CHECK(noise.drifts.better == 0);
    const auto text = tables(judge(world, record));
    CHECK_THAT(
        text, Catch::Contains("48 series-nights (95 %): suspicions 3, 2 for the worse: .67 ("));
    CHECK_THAT(text, Catch::Contains("suspicions and drifts 4, 3 for the worse: .75 (.30-.95)"));
}

TEST_CASE("A change without noise is named exactly on its night", "[bench][nights]") {
    const World drawn = with_plant(15, 30, "30", 0);
    const auto& commits = drawn.commits();
    const int plain = commits.of_night(12)[2];
    int inside = -1;
    for (const int commit : commits.of_night(12)) {
        if (commits.at(commit).on_branch()) inside = commit;
    }
    REQUIRE(inside >= 0);
    for (const int commit : {plain, inside}) {
        CAPTURE(commit, plain, inside);
        const Played played(with_plant(15, 30, "30", commit));
        REQUIRE(played.score.fates.size() == 1);
        const Fate& fate = played.score.fates.front();
        CHECK(fate.named == "exact");
        CHECK(fate.filed == 1);
        CHECK(fate.issues.size() == 1);
        CHECK(played.score.false_issues.empty());
        CHECK(played.score.innocent.empty());
    }
}

TEST_CASE("A play is scored by what was said, not by what was planted", "[bench][nights]") {
    const World drawn = with_plant(14, 30, "30", 0);
    const int commit = drawn.commits().of_night(11)[2];
    const World world = with_plant(14, 30, "30", commit);
    const Record said = play(world);
    REQUIRE(judge(world, said).fates.front().named == "exact");

    Record other = said;
    for (auto& issue : other.issues) issue.culprit = *issue.culprit - 1;
    CHECK(judge(world, other).fates.front().named == "wrong");

    other = said;
    for (auto& report : other.reports) ++report.night;
    CHECK(judge(world, other).fates.front().filed == 2);

    other = said;
    other.reports.clear();
    CHECK(judge(world, other).fates.front().filed == never);

    const World innocent = with_plant(14, 0, "30", commit);
    CHECK(judge(innocent, said).false_issues.size() == 1);

    other = said;
    other.issues.push_back(other.issues.front());
    other.issues.back().id = 1000;
    other.reports.push_back(other.reports.front());
    other.reports.back().issue.id = 1000;
    const auto twice = judge(world, other);
    CHECK(twice.doubles == 1);
    CHECK(twice.same_culprit == 1);
}

TEST_CASE("The range of two commits is what a repository would list", "[bench][nights]") {
    // 0 - 1 - 2 - 5 - 6, and 3 - 4 from 1, merged by 5.
    const Commits commits(
        {{0, -1, -1, 0},
         {1, -1, -1, 0},
         {2, -1, -1, 0},
         {3, 1, 0, 1},
         {3, 1, 1, 1},
         {3, -1, -1, 1},
         {4, -1, -1, 1}},
        {},
        2);
    const auto list = [&](int good, int bad) {
        const auto range = commits.range(commits.revision(good), commits.revision(bad));
        std::vector<int> numbers{commits.number(range.base.str())};
        for (const auto& one : range.suspects)
            numbers.push_back(commits.number(one.revision.str()));
        return numbers;
    };
    CHECK(list(0, 6) == std::vector{0, 1, 2, 5, 6});
    CHECK(list(2, 4) == std::vector{1, 3, 4});
    CHECK(list(4, 6) == std::vector{1, 2, 5, 6});
    CHECK_THROWS_AS(list(6, 4), Error);
    const auto merge = commits.range(commits.revision(2), commits.revision(5)).suspects.front();
    CHECK(merge.merge);
    CHECK(merge.brought == std::vector{commits.revision(4)});
}

TEST_CASE("The world of a record is played as before", "[bench][nights]") {
    const test::ScratchFolder folder;
    Options options = small(14);
    options.rate = 6;
    options.warm = 9;
    options.gap = 5;
    const Played first{World(options)};
    const auto file = folder.path() / "record.json";
    write_play(file, first.world, first.record);
    const Played second{read_world(file)};
    CHECK(!first.record.reports.empty());
    CHECK(first.text() == second.text());
    CHECK_THROWS_AS(read_world(folder.path() / "none.json"), Error);
}
