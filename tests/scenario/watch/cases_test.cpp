#include <chrono>
#include <cstdio>
#include <filesystem>

#include <catch2/catch.hpp>

#include "service/store/findings/regressions.hpp"
#include "service/store/series/series.hpp"
#include "service/watch/search/bisection_facts.hpp"
#include "tests/support/fleet.hpp"
#include "tests/support/scratch_folder.hpp"

// Programs that measure many cases in one run.

using namespace vigil;
using namespace vigil::service;
using namespace vigil::tests;

namespace {

World world_of(int cases) {
    World world;
    world.commits = 40;
    world.cases = cases;
    return world;
}

void play(Fleet& fleet, int quiet_nights, int bad_commit) {
    for (int night = 0; night < quiet_nights; ++night) fleet.night(night);
    fleet.night(bad_commit);
}

int count_series(Fleet& fleet, RegressionId regression) {
    return fleet.count("regression_series", "regression_id = " + to_string(regression));
}

}  // namespace

TEST_CASE("A case that got slower is measured again and searched alone", "[cases]") {
    World world = world_of(30);
    world.changes = {{.commit = 25, .variant = "infer", .time = 1.2, .case_name = "case 7"}};
    test::ScratchFolder folder;
    Fleet fleet(world, (folder.path() / "ledger.sqlite").string());
    play(fleet, 12, 39);
    REQUIRE(fleet.culprits() == std::vector<std::string>{fleet.revision(25)});
    CHECK(count_series(fleet, RegressionId{1}) == 1);
    CHECK(
        fleet.count(
            "regression_series x JOIN series s ON s.id = x.series_id",
            "s.case_name = 'case 7' AND s.shown = 'model: case 7'") == 1);
    // A night is a process for each repetition, whatever the number of cases.
    CHECK(fleet.count("run", "case_name = ''") == 13 * 3);
    CHECK(fleet.count("run", "case_name = 'case 7'") > 8);
    CHECK(fleet.count("run", "case_name NOT IN ('', 'case 7')") == 0);
    // What ran alone says nothing of the program.
    CHECK(
        fleet.count(
            "measurement m JOIN run r ON r.id = m.run_id JOIN series s ON s.id = m.series_id",
            "r.case_name <> s.case_name AND r.case_name <> ''") == 0);
}

TEST_CASE("Cases that move together are one regression, found by runs of all", "[cases]") {
    World world = world_of(300);
    world.changes = {{.commit = 25, .variant = "infer", .time = 1.2}};
    test::ScratchFolder folder;
    Fleet fleet(world, (folder.path() / "ledger.sqlite").string());
    play(fleet, 12, 39);
    REQUIRE(fleet.culprits() == std::vector<std::string>{fleet.revision(25)});
    CHECK(count_series(fleet, RegressionId{1}) >= 290);
    // Few of them are held against other nights than the rest, and run alone.
    CHECK(fleet.count("run", "case_name = ''") > 39 + 8);
    CHECK(fleet.count("run") < 300);
}

TEST_CASE("A case that does not run alone is told once, and its program runs whole", "[cases]") {
    World world = world_of(20);
    world.changes = {{.commit = 25, .variant = "infer", .time = 1.2, .case_name = "case 7"}};
    world.not_alone = {"case 7"};
    test::ScratchFolder folder;
    Fleet fleet(world, (folder.path() / "ledger.sqlite").string());
    play(fleet, 12, 39);
    REQUIRE(fleet.culprits() == std::vector<std::string>{fleet.revision(25)});
    CHECK(fleet.count("event", "kind = 'case.not_printed'") == 1);
    CHECK(
        fleet.count("event", "kind = 'case.not_printed' AND message LIKE '%--only=^case 7$%'") ==
        1);
    CHECK(fleet.count("run", "case_name = 'case 7' AND outcome = 'passed'") == 0);
    CHECK(fleet.count("regression") == 1);
}

TEST_CASE("A run of a case alone that does not print it breaks no commit", "[cases]") {
    World world = world_of(20);
    world.changes = {{.commit = 25, .variant = "infer", .time = 1.2, .case_name = "case 7"}};
    for (int commit = 13; commit < 39; ++commit) world.none_alone.insert(commit);
    test::ScratchFolder folder;
    Fleet fleet(world, (folder / "ledger.sqlite").string());
    play(fleet, 12, 39);
    // Known only once the search has begun, by the commit that it looks at first.
    REQUIRE(fleet.count("event", "kind = 'case.not_printed'") == 1);
    CHECK(fleet.culprits() == std::vector<std::string>{fleet.revision(25)});
    const auto id = *fleet.db().find<BisectionId>("SELECT min(id) FROM bisection");
    const auto read = read_bisection(fleet.db(), load_bisection(fleet.db(), id));
    for (int i = 0; i <= read.problem.suspects; ++i) CHECK(read.driver.commit(i).runs_failed == 0);
}

TEST_CASE("A program that no longer runs is found by any case that was there", "[cases]") {
    World world = world_of(5);
    world.gone_cases = {{"case 0", 6}};
    world.crashes = {{"infer", 25}};
    test::ScratchFolder folder;
    Fleet fleet(world, (folder / "ledger.sqlite").string());
    fleet.config().projects.at("lab").judged = {Metric::cpu_time_ns};
    play(fleet, 12, 39);
    CHECK(fleet.culprits() == std::vector<std::string>{fleet.revision(25)});
}

TEST_CASE("A case that begins to fail is found, and its neighbours stay judged", "[cases]") {
    World world = world_of(20);
    world.failing_cases = {{"case 3", 25}};
    test::ScratchFolder folder;
    Fleet fleet(world, (folder.path() / "ledger.sqlite").string());
    play(fleet, 12, 39);
    REQUIRE(fleet.culprits() == std::vector<std::string>{fleet.revision(25)});
    CHECK(
        fleet.count(
            "suspicion u JOIN series s ON s.id = u.series_id",
            "u.kind = 'outcome' AND s.case_name = 'case 3'") == 1);
    CHECK(count_series(fleet, RegressionId{1}) == 1);
}

TEST_CASE("A case that is gone is told once and is no regression", "[cases]") {
    World world = world_of(20);
    world.gone_cases = {{"case 3", 12}};
    test::ScratchFolder folder;
    Fleet fleet(world, (folder.path() / "ledger.sqlite").string());
    play(fleet, 15, 39);
    CHECK(fleet.count("regression") == 0);
    CHECK(fleet.count("event", "kind = 'series.gone' AND message LIKE '%model: case 3%'") == 1);
}

namespace {

// What a world plants in "case 7", and whether it is to be named.
struct Planted {
    const char* what;
    double time;
    std::optional<double> worse_ratio;
    std::optional<double> worse_absolute;  ///< ns; the case takes 1e7
    bool is_named;
};
const Planted planted[] = {
    {"12 % by the usual threshold", 1.12, {}, {}, true},
    {"5 % where 3 % is worse", 1.05, 0.03, {}, true},
    {"12 % where a million ns are worse", 1.12, {}, 1e6, true},
    {"5 % by the usual threshold", 1.05, {}, {}, false},
    {"12 % where two million ns are worse", 1.12, {}, 2e6, false},
    {"12 % where 20 % is worse", 1.12, 0.2, {}, false}};

// @return  whether the planted commit and nothing else was named
bool play_planted(const Planted& one, std::uint32_t seed) {
    World world = world_of(30);
    world.seed = seed;
    world.noise = 0.004;
    const int commit = 16 + static_cast<int>(seed * 7 % 20);
    world.changes = {
        {.commit = commit, .variant = "infer", .time = one.time, .case_name = "case 7"}};
    test::ScratchFolder folder;
    Fleet fleet(world, (folder / "ledger.sqlite").string());
    fleet.config().projects.at("lab").series_rules = {
        {.case_name = "case ?",
         .worse_ratio = one.worse_ratio,
         .worse_absolute = one.worse_absolute}};
    play(fleet, 14, 39);
    const auto named = fleet.culprits();
    const auto wanted =
        one.is_named ? std::vector{fleet.revision(commit)} : std::vector<std::string>{};
    return named == wanted && fleet.count("regression") == (one.is_named ? 1 : 0);
}

}  // namespace

TEST_CASE("Rules of series say from which change on a case is worse", "[cases]") {
    for (const auto& one : planted) {
        CAPTURE(one.what);
        CHECK(play_planted(one, 3));
    }
}

// docs/figures/cases.md
TEST_CASE("Planted changes over cases and thresholds", "[.][figures]") {
    for (const auto& one : planted) {
        int right = 0;
        for (std::uint32_t seed = 1; seed <= 20; ++seed) right += play_planted(one, seed) ? 1 : 0;
        std::printf("%s: %d of 20 right\n", one.what, right);
    }
}

// docs/figures/cases.md: scenario_watch "[figures]"
TEST_CASE("A year of 300 cases", "[.][figures]") {
    World world = world_of(300);
    world.commits = 365;
    test::ScratchFolder folder;
    Fleet fleet(world, (folder.path() / "ledger.sqlite").string());
    double slowest_s = 0;
    const auto now = [] { return std::chrono::steady_clock::now(); };
    const auto began = now();
    for (int night = 0; night < world.commits; ++night) {
        const auto from = now();
        fleet.night(night);
        slowest_s = std::max(slowest_s, std::chrono::duration<double>(now() - from).count());
    }
    const double all_s = std::chrono::duration<double>(now() - began).count();
    fleet.db().execute_script("PRAGMA wal_checkpoint(TRUNCATE)");
    std::printf(
        "365 nights: %.2f s a night, the slowest %.2f s; ledger %.1f MB; %d runs, %d measurements, "
        "%d suspicions, %d regressions\n",
        all_s / world.commits,
        slowest_s,
        static_cast<double>(
            std::filesystem::file_size((folder.path() / "ledger.sqlite").string())) *
            1e-6,
        fleet.count("run"),
        fleet.count("measurement"),
        fleet.count("suspicion"),
        fleet.count("regression"));
}
