#include "bisect/search/breakage.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

using namespace vigil::search;

namespace {

struct Played {
    BreakageStep end;
    int builds = 0;
};

/// Builds what is asked for until the search ends. Commits from `culprit` on are broken; any build
/// fails for no reason with probability `flaky`, but never twice in a row.
Played play(int last, int culprit, double flaky = 0, unsigned seed = 1) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> share(0, 1);
    std::vector<BuildTries> commits(static_cast<std::size_t>(last) + 1);
    commits.front().built = true;
    commits.back().failures = tries_of_a_build;
    Played played;
    for (;;) {
        played.end = next_build(commits);
        if (played.end.state != Breakage::open) return played;
        REQUIRE(++played.builds <= 100);
        auto& asked = commits.at(static_cast<std::size_t>(played.end.commit));
        REQUIRE_FALSE(asked.built);
        const bool passing = asked.failures == 0 && share(random) < flaky;
        if (played.end.commit >= culprit || passing) {
            ++asked.failures;
        } else {
            asked.built = true;
        }
    }
}

}  // namespace

TEST_CASE(
    "The commit that breaks the build is found in as many builds as halving takes",
    "[bisect][search]") {
    for (const int last : {1, 2, 3, 5, 8, 13, 64, 65, 100, 300}) {
        for (int culprit = 1; culprit <= last; ++culprit) {
            CAPTURE(last, culprit);
            const auto played = play(last, culprit);
            CHECK(played.end.state == Breakage::commit);
            CHECK(played.end.commit == culprit);
            // One more: the answer is built twice.
            CHECK(played.builds <= std::ceil(std::log2(last)) + 1);
        }
    }
}

TEST_CASE("A build that fails once for no reason does not become the answer", "[bisect][search]") {
    int builds = 0;
    for (unsigned seed = 1; seed <= 300; ++seed) {
        CAPTURE(seed);
        const int culprit = 1 + static_cast<int>(seed % 70);
        const auto played = play(70, culprit, 0.2, seed);
        CHECK(played.end.state == Breakage::commit);
        CHECK(played.end.commit == culprit);
        builds += played.builds;
    }
    CHECK(builds / 300 <= 11);  // 7.2 where none is flaky
}

TEST_CASE("What is known already is not built again", "[bisect][search]") {
    std::vector<BuildTries> commits(11);
    commits[0].built = commits[6].built = true;
    commits[7].failures = 2;
    commits[10].failures = 2;
    const auto step = next_build(commits);
    CHECK(step.state == Breakage::commit);
    CHECK(step.commit == 7);
}

TEST_CASE("A nightly that failed once is tried again before anything else", "[bisect][search]") {
    std::vector<BuildTries> commits(11);
    commits[0].built = true;
    commits[10].failures = 1;
    CHECK(next_build(commits).state == Breakage::open);
    CHECK(next_build(commits).commit == 10);
    commits[10].built = true;
    CHECK(next_build(commits).state == Breakage::none);
}

TEST_CASE("Where the good end fails too, no commit is blamed", "[bisect][search]") {
    std::vector<BuildTries> commits(11);
    commits[10].failures = 2;
    CHECK(next_build(commits).commit == 0);
    commits[0].failures = 1;
    CHECK(next_build(commits).state == Breakage::open);
    CHECK(next_build(commits).commit == 0);
    commits[0].failures = 2;
    CHECK(next_build(commits).state == Breakage::elsewhere);
}
