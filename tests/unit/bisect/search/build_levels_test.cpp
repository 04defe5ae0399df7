#include "bisect/search/build_levels.hpp"

#include <cmath>

#include <catch2/catch.hpp>

#include "tests/unit/bisect/search/world.hpp"

using namespace vigil;
using namespace vigil::search;

namespace {

struct Normal {
    double mean = 0;
    double variance = 0;
};

/// What two independent statements say together.
Normal both(Normal a, Normal b) {
    const double precision = 1 / a.variance + 1 / b.variance;
    return {(a.mean / a.variance + b.mean / b.variance) / precision, 1 / precision};
}

CommitLevels levels_of(Normal level, double layout) {
    CommitLevels levels;
    levels.p[1] = 1;
    levels.mean[1] = level.mean;
    levels.variance[1] = level.variance;
    levels.layout[1] = layout;
    return levels;
}

}  // namespace

TEST_CASE("A build that was not measured may lie anywhere around its level", "[bisect][search]") {
    const auto found = levels_of_build(levels_of({0.3, 1e-4}, 4e-4), nullptr);
    CHECK(found.mean[1] == Approx(0.3));
    CHECK(found.variance[1] == Approx(5e-4));
}

TEST_CASE("Runs of a build tell of that build, and of its level only by it", "[bisect][search]") {
    const Normal others{0.1, 2e-4};  // the level, by the runs of other commits
    for (const double layout : {1e-8, 1e-5, 4e-4}) {
        for (const double own : {1e-6, 3e-5, 1e-3}) {
            CAPTURE(layout, own);
            const OwnRuns runs{0.14, own};
            const Normal level = both(others, {runs.mean, runs.variance + layout});
            const Normal build =
                both({others.mean, others.variance + layout}, {runs.mean, runs.variance});
            const auto found = levels_of_build(levels_of(level, layout), &runs);
            CHECK(found.mean[1] == Approx(build.mean).epsilon(1e-9));
            CHECK(found.variance[1] == Approx(build.variance).epsilon(1e-9));
        }
    }
}

TEST_CASE("Of a level less sure than its runs are, the runs alone tell", "[bisect][search]") {
    // Levels are means over many fits, so their variance may be above what the runs alone allow.
    const OwnRuns runs{0.14, 1e-5};
    const auto found = levels_of_build(levels_of({0.12, 1e-3}, 1e-4), &runs);
    CHECK(found.mean[1] > 0.12);
    CHECK(found.mean[1] < 0.1401);
    CHECK(found.variance[1] == Approx(1e-5));
}

TEST_CASE("Builds that differ for no reason are not measured over and over", "[bisect][search]") {
    int most = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        World world(
            120,
            {{.changes = {{30, 1.4}, {81, 0.6}, {100, 0.05}}, .noise = 0.012, .jitter = 0.02}},
            seed);
        world.problem.costs.build = 40;
        const Decision decision = world.play();
        REQUIRE(decision.done);
        std::map<int, int> repeats;
        for (const ProbeRequest& asked : world.asked()) {
            if (asked.why.find(" again: ") == std::string::npos) continue;
            ++repeats[asked.commits[asked.commits.size() / 2]];
        }
        for (const auto& [commit, times] : repeats) most = std::max(most, times);
    }
    CAPTURE(most);
    CHECK(most <= 15);  // 23 where each run is told its own layout
}
