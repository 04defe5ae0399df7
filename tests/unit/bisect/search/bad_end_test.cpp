#include <catch2/catch.hpp>

#include "tests/unit/bisect/search/world.hpp"

using namespace vigil::search;

namespace {

// Ten commits of a branch, whose tip and what else is in `broken` do not build.
World branch(int culprit, std::set<int> broken, std::uint64_t seed) {
    World world(10, {{.changes = {{culprit, 0.2}}}}, seed);
    world.broken = std::move(broken);
    world.forget_the_bad_build();
    return world;
}

}  // namespace

TEST_CASE("A commit before it stands in for a bad end that cannot be built", "[bisect][search]") {
    const auto seed = GENERATE(1u, 2u, 3u, 4u, 5u);
    CAPTURE(seed);
    auto world = branch(4, {9, 10}, seed);
    const auto decision = world.play();
    const auto& ending = decision.endings.front();
    REQUIRE(decision.done);
    CHECK(ending.ending == Ending::culprit);
    CHECK(ending.first == 4);
    CHECK(decision.posterior.front().size() == 10);
}

TEST_CASE("What a stand-in does not show lies beyond it", "[bisect][search]") {
    const auto seed = GENERATE(1u, 2u, 3u);
    CAPTURE(seed);
    auto world = branch(9, {9, 10}, seed);
    const auto decision = world.play();
    const auto& ending = decision.endings.front();
    REQUIRE(decision.done);
    CHECK(ending.ending == Ending::range);
    CHECK(ending.first == 9);
    CHECK(ending.last == 10);
    CHECK_THAT(
        ending.reason,
        Catch::Contains("commit 8 stood in for the bad end: commits 9 to 10 cannot be built"));
}

TEST_CASE("A branch that does not build at all ends its search soon", "[bisect][search]") {
    World world(60, {{.changes = {{4, 0.2}}}}, 1);
    for (int commit = 1; commit <= 60; ++commit) world.broken.insert(commit);
    world.forget_the_bad_build();
    const auto decision = world.play();
    REQUIRE(decision.done);
    CHECK(decision.endings.front().ending == Ending::range);
    CHECK_THAT(decision.endings.front().reason, Catch::Contains("the bad end of the range"));
    CHECK(world.steps < 30);
    CHECK(world.runs < 30);
}

TEST_CASE("A stand-in's search keeps what else was decided of the whole", "[bisect][search]") {
    auto world = branch(4, {10}, 7);
    world.problem.weights.assign(10, 1.0);
    world.problem.budget.max_builds = 5;
    const auto decision = world.play();
    const auto& ending = decision.endings.front();
    REQUIRE(decision.done);
    CHECK(ending.first <= 4);
    CHECK(ending.last >= 4);
}
