#include "service/watch/requested/missed.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "service/report/facts/precision.hpp"
#include "service/store/findings/missed.hpp"
#include "service/store/nights/night_commits.hpp"
#include "service/store/nights/nightlies.hpp"
#include "service/store/reports/reports.hpp"
#include "tests/support/fleet.hpp"

// A regression that a person tells of, because it was not found.

using namespace vigil;
using namespace vigil::service;
using tests::Fleet;
using tests::World;

namespace {

constexpr const char* of_times = "SELECT id FROM series WHERE metric = 'cpu_time_ns'";

/// Nights of every tenth commit, and one series whose time is told of.
struct Lab {
    explicit Lab(World world) : fleet(std::move(world), ":memory:") {
        for (int commit = 0; commit <= 60; commit += 10) fleet.night(commit);
        series = *fleet.db().find<SeriesId>(of_times);
    }

    NightlyId night_of(int commit) {
        return *fleet.db().find<NightlyId>(
            "SELECT id FROM nightly WHERE revision = ?1", fleet.revision(commit));
    }
    MissedId tell(int commit, const std::string& believed = "") {
        const ToldMissed told{series, night_of(commit), believed, "the users say so", "ada"};
        return tell_missed(fleet.db(), fleet.config(), told, fleet.now_s());
    }
    MissedState state(MissedId missed) { return load_missed(fleet.db(), missed).state; }
    RecallCounts recall() { return count_recall(fleet.db(), {std::nullopt, 0, 9'000'000'000}); }
    std::string message(MissedId missed) {
        return *fleet.db().find<std::string>("SELECT message FROM missed WHERE id = ?1", missed);
    }

    Fleet fleet;
    SeriesId series;
};

World slower_from_35(unsigned seed, double time) {
    return {.seed = seed, .changes = {{.commit = 35, .variant = "infer", .time = time}}};
}

}  // namespace

TEST_CASE("What is too small to be filed is told, searched, reported and counted", "[scenario]") {
    const auto seed = GENERATE(1u, 2u, 3u);
    CAPTURE(seed);
    Lab lab(slower_from_35(seed, 1.04));
    REQUIRE(lab.fleet.count("regression") == 0);
    CHECK_FALSE(lab.recall().recall());
    const auto missed = lab.tell(40);
    CHECK(lab.state(missed) == MissedState::measuring);
    CHECK(lab.recall().missed() == 1);
    lab.fleet.settle();
    CAPTURE(lab.message(missed));
    CHECK(lab.state(missed) == MissedState::confirmed);
    REQUIRE(lab.fleet.count("regression") == 1);
    CHECK(lab.fleet.culprits() == std::vector{lab.fleet.revision(35)});
    CHECK(list_due_regressions(lab.fleet.db(), 10).size() == 1);
    CHECK(lab.recall().missed() == 1);
    CHECK(lab.recall().recall() == 0.0);
    CHECK(load_precision(lab.fleet.db(), {std::nullopt, 0, 9'000'000'000}).confirmed == 0);
    CHECK(lab.fleet.count("event", "kind = 'missed.confirmed'") == 1);
    // The series is at a new level: the nights after it are as usual, and find nothing.
    CHECK(lab.fleet.count("baseline", "by_answer = 1") == 1);
    lab.fleet.night(65);
    CHECK(lab.fleet.count("regression") == 1);
    CHECK_THROWS_WITH(lab.tell(40), Catch::Contains("regression 1 (attributed) covers series"));
    CHECK_THROWS_WITH(
        take_back_missed(lab.fleet.db(), missed, "ada", 5), Catch::Contains("refute that"));
}

TEST_CASE("What is not there is not counted as missed", "[scenario]") {
    const auto seed = GENERATE(1u, 2u, 3u);
    CAPTURE(seed);
    Lab lab({.seed = seed});
    const auto missed = lab.tell(40);
    lab.fleet.settle();
    CHECK(lab.state(missed) == MissedState::not_confirmed);
    CHECK(lab.recall().missed() == 0);
    CHECK(lab.fleet.count("regression") == 0);
    CHECK_THROWS_WITH(lab.tell(40), Catch::Contains("missed 1, not_confirmed"));
    take_back_missed(lab.fleet.db(), missed, "ada", 5);
    CHECK(lab.tell(40) != missed);
}

TEST_CASE("What a regression covers is none that was missed", "[scenario]") {
    Lab lab(slower_from_35(4, 1.2));
    REQUIRE(lab.fleet.count("regression") == 1);
    CHECK(lab.recall().recall() == 1.0);
    CHECK_THROWS_WITH(lab.tell(40), Catch::Contains("regression 1 (attributed) covers series"));
    CHECK(lab.fleet.count("request") == 0);
    // Refuted by a person it was none that was to be found.
    lab.fleet.db().execute("UPDATE regression SET state = 'refuted'");
    CHECK_FALSE(lab.recall().recall());
}

TEST_CASE("What cannot be measured again is told so, and counted as told", "[scenario]") {
    Lab lab(slower_from_35(5, 1.03));
    CHECK_THROWS_WITH(lab.tell(0), Catch::Contains("nothing to compare"));
    const auto missed = lab.tell(40);
    SECTION("it is taken back, and its runs with it") {
        take_back_missed(lab.fleet.db(), missed, "ada", 5);
        lab.fleet.settle();
        CHECK(lab.state(missed) == MissedState::taken_back);
        CHECK(lab.fleet.count("request", "state = 'cancelled'") == 1);
        CHECK(lab.recall().missed() == 0);
    }
    SECTION("its comparison is cancelled by somebody") {
        lab.fleet.db().execute("UPDATE request SET state = 'cancelled', message = 'no time'");
        settle_missed(lab.fleet.db(), lab.fleet.config(), 5);
        CHECK(lab.state(missed) == MissedState::undecided);
        CHECK(lab.message(missed) == "no time");
        CHECK(lab.recall().told_undecided == 1);
        CHECK(lab.recall().missed() == 1);
    }
    CHECK(lab.fleet.count("regression") == 0);
}

TEST_CASE("Who believes that it was a commit names one of the range", "[scenario]") {
    Lab lab(slower_from_35(6, 1.04));
    CHECK_THROWS_WITH(lab.tell(40, "abc"), Catch::Contains("4 to 64"));
    const auto commit = lab.fleet.revision(33);
    CHECK_THROWS_WITH(lab.tell(40, commit), Catch::Contains("are still being listed"));
    const UnlistedNight night{
        lab.night_of(40),
        Revision(lab.fleet.revision(40)),
        lab.night_of(30),
        Revision(lab.fleet.revision(30))};
    record_night_commits(
        lab.fleet.db(), night, {.count = 10, .commits = {{Revision(commit), "a", "b", 1}}});
    CHECK_THROWS_WITH(
        lab.tell(40, lab.fleet.revision(20)), Catch::Contains("no commits between nightly"));
    const auto missed = lab.tell(40, commit.substr(0, 12));
    CHECK(load_missed(lab.fleet.db(), missed).believed == commit);
    lab.fleet.settle();
    // What was believed decides nothing.
    CHECK(lab.fleet.culprits() == std::vector{lab.fleet.revision(35)});
    const auto told = list_reported_missed(lab.fleet.db(), RegressionId{1});
    REQUIRE(told.size() == 1);
    CHECK(told.front().believed == Revision(commit));
    CHECK(told.front().by == "ada");
}
