#include <catch2/catch.hpp>

#include "bisect/search/search.hpp"
#include "tests/unit/bisect/search/world.hpp"

// Changes of one series beside the largest.

using namespace vigil;
using namespace vigil::search;

namespace {

SeriesEnding verified(double change_ratio, double above) {
    SeriesEnding ending;
    ending.verified.change_ratio = change_ratio;
    ending.verified.above = above;
    return ending;
}

}  // namespace

TEST_CASE("A further change stands alone unless it is surely below the threshold", "[search]") {
    CHECK(stands_alone(verified(0.10, 0.99)));
    CHECK(stands_alone(verified(0.065, 0.3)));  // it may well be 7.5 %
    CHECK_FALSE(stands_alone(verified(0.04, 0.01)));
    CHECK_FALSE(stands_alone(verified(-0.10, 0.0)));
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
        both += main.last != other.last && stands_alone(other) ? 1 : 0;
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
