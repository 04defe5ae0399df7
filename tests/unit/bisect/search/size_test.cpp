#include "bisect/search/size.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "tests/unit/bisect/search/world.hpp"

// What is told of a change's size.

using namespace vigil;
using namespace vigil::search;

TEST_CASE("A size is that of the two builds, whatever steps lie around them", "[search]") {
    struct Steps {
        double noise, step;
        double off;      ///< at most
        int days, held;  ///< at least so many intervals of 90 % hold it
    };
    const auto [noise, step, off, days, least] =
        GENERATE(Steps{0.004, 0.006, 0.009, 20, 16}, Steps{0.015, 0.004, 0.04, 60, 48});
    int held = 0;
    for (int day = 0; day < days; ++day) {
        // Small steps that nobody tells, on both sides of a change of 10 %.
        SeriesTruth truth{.changes = {{20, 0.1}}, .noise = noise};
        for (const int commit : {15, 16, 17, 18, 19, 21, 22, 23, 24, 25}) {
            truth.changes[commit] = step;
        }
        World world(40, {truth}, static_cast<std::uint64_t>(day));
        world.confirm(6);
        const Decision decision = world.play();
        const SeriesEnding& main = decision.endings.front();
        REQUIRE(main.ending == Ending::culprit);
        REQUIRE(main.first == 20);
        CAPTURE(day, main.verified.change_ratio);
        CHECK(main.verified.change_ratio == Approx(0.1).margin(off));
        held += main.verified.low <= 0.1 && main.verified.high >= 0.1 ? 1 : 0;
    }
    CAPTURE(noise, step);
    CHECK(held >= least);
}

TEST_CASE("What builds further away say sharpens a size, and never moves it far", "[search]") {
    World world(40, {{.changes = {{20, 0.1}}, .noise = 0.02}}, 1);
    world.confirm(6);
    world.play();
    const Facts facts = world.facts();
    const Line line(world.problem, facts);
    const auto evidence = gather(world.problem, facts, line, 0);
    const Posterior posterior(evidence, line, MetricKind::time);
    int gap = 0;
    while (posterior.places()[static_cast<std::size_t>(gap) + 1] != 20) ++gap;
    auto levels = fit_levels(evidence);
    const int before = posterior.places()[static_cast<std::size_t>(gap)];
    const double own = levels.of(20)->above - levels.of(before)->above;
    const Size size = size_of_change(posterior, gap, levels, 0, evidence.least);
    CHECK(size.change == Approx(own).margin(0.02));
    CHECK(size.error < levels.error(before, 20));
    // What moments differ by is in the error.
    const Size wide = size_of_change(posterior, gap, levels, 0.03 * 0.03, evidence.least);
    CHECK(wide.error > size.error);
    // Two builds that are known to a tenth of a percent say it all.
    for (auto& row : levels.errors) {
        for (double& error : row) error = std::min(error, 0.001);
    }
    CHECK(
        size_of_change(posterior, gap, levels, 0, evidence.least).change ==
        Approx(own).margin(1e-3));
}
