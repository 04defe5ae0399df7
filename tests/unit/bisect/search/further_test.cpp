#include <catch2/catch.hpp>

#include "bisect/search/search.hpp"
#include "tests/unit/bisect/search/world.hpp"

// Changes of one series beside the largest.

using namespace vigil;
using namespace vigil::search;

TEST_CASE("A further change stands alone where it is about above the threshold", "[search]") {
    const auto alone = [](double ratio, std::uint64_t seed) {
        World world(27, {{.changes = {{8, 0.15}, {19, ratio}}, .noise = 0.008}}, seed);
        world.confirm(6);
        const Decision decision = world.play();
        return decision.further.size() == 1 && decision.further.front().stands_alone;
    };
    int above = 0;
    int below = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        above += alone(0.075, seed) ? 1 : 0;
        below += alone(0.05, seed) ? 1 : 0;
        CHECK_FALSE(alone(-0.1, seed));
    }
    CHECK(above >= 19);
    CHECK(below <= 1);
}

TEST_CASE("Both culprits of one series are named, each with its own size", "[bisect][search]") {
    struct Sizes {
        double first, second, noise;
    };
    const auto [first, second, noise] =
        GENERATE(Sizes{0.1, 0.1, 0.01}, Sizes{0.15, 0.075, 0.01}, Sizes{0.1, 0.1, 0.03});
    int both = 0;
    int days = 0;
    for (std::uint64_t seed = 100; seed < 120; ++seed, ++days) {
        const int a = 3 + static_cast<int>(seed * 7 % 12);
        const int b = a + 1 + static_cast<int>(seed * 5 % 11);
        CAPTURE(seed, a, b, first, second, noise);
        World world(27, {{.changes = {{a, first}, {b, second}}, .noise = noise}}, seed);
        world.confirm(6);
        const Decision decision = world.play();
        REQUIRE(decision.done);
        const SeriesEnding& main = decision.endings.front();
        if (main.ending != Ending::culprit || decision.further.size() != 1) continue;
        const SeriesEnding& other = decision.further.front();
        CHECK(main.reason.find("further change") == main.reason.npos);
        const auto fits = [&](const SeriesEnding& e) {
            return e.first == e.last && (e.last == a || e.last == b) && e.verified.runs_after > 0;
        };
        CHECK(fits(main));
        CHECK(fits(other));
        both += main.last != other.last && other.stands_alone ? 1 : 0;
    }
    CAPTURE(first, second, noise);
    CHECK(both >= 19);
    CHECK(days == 20);
}

TEST_CASE("What was not found is told with its size and commits", "[bisect][search]") {
    World world(40, {{.changes = {{11, 0.3}, {28, 0.12}}, .noise = 0.01}}, 3);
    world.problem.budget.max_builds = 7;
    world.confirm(6);
    const Decision decision = world.play();
    REQUIRE(decision.done);
    const SeriesEnding& main = decision.endings.front();
    REQUIRE(main.ending == Ending::culprit);
    REQUIRE(decision.further.empty());
    REQUIRE(main.remaining);
    CHECK(main.remaining->probability > 0.9);
    CHECK(main.remaining->change_ratio == Approx(0.12).margin(0.05));
    CHECK(main.remaining->first > 11);
    CHECK(main.remaining->first <= 28);
    CHECK(main.remaining->last >= 28);
    CHECK(main.remaining->last <= 40);

    World single(40, {{.changes = {{11, 0.3}}, .noise = 0.01}}, 3);
    single.confirm(6);
    CHECK_FALSE(single.play().endings.front().remaining);
}
