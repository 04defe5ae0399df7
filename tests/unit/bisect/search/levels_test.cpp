#include "bisect/search/levels.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/bisect/search/world.hpp"

// The levels along the commits, as people look at them.

using namespace vigil;
using namespace vigil::search;

namespace {

/// Runs of probes, each of which met something of its own.
struct Runs {
    Problem problem;
    Facts facts;

    explicit Runs(int suspects) {
        problem.suspects = suspects;
        problem.series = {{.noise = 0.01}};
    }

    void probe(double met, const std::vector<std::pair<int, double>>& runs, bool verifies = false) {
        const auto number = static_cast<int>(facts.asked.size());
        ProbeRequest request;
        request.purpose = verifies ? ProbePurpose::verify : ProbePurpose::search;
        request.series = {0};
        for (const auto& [commit, ratio] : runs) {
            request.commits.push_back(commit);
            facts.observations.push_back(
                {number, request.purpose, commit, 0, 1000 * (1 + ratio) * std::exp(met)});
        }
        facts.asked.push_back(request);
    }
};

double ratio_of(const FittedLevels& levels, int place) {
    const PlaceLevel* level = levels.of(place);
    REQUIRE(level != nullptr);
    return std::expm1(level->above);
}

}  // namespace

TEST_CASE("What a session met is taken off the levels, and ends are one reference", "[search]") {
    Runs day(8);
    day.probe(0.0, {{0, 0.0}, {8, 0.2}, {8, 0.2}, {0, 0.0}});
    day.probe(0.4, {{0, 0.0}, {3, 0.0}});
    day.probe(-0.3, {{8, 0.2}, {6, 0.2}});
    day.probe(0.5, {{5, 0.0}, {6, 0.2}, {6, 0.2}, {5, 0.0}}, true);
    const auto levels = fit_levels(day.problem, day.facts, 0);
    CHECK(ratio_of(levels, 0) == Approx(0));
    CHECK(ratio_of(levels, 3) == Approx(0).margin(0.01));
    CHECK(ratio_of(levels, 5) == Approx(0).margin(0.01));  // its session held no end
    CHECK(ratio_of(levels, 6) == Approx(0.2).margin(0.01));
    CHECK(ratio_of(levels, 8) == Approx(0.2).margin(0.01));
    CHECK(levels.of(3)->runs == 1);
    CHECK(levels.of(6)->runs == 3);
    CHECK(levels.of(4) == nullptr);
    REQUIRE(levels.runs.size() == day.facts.observations.size());
    for (const auto& run : levels.runs) {
        CAPTURE(run.commit);
        CHECK(std::expm1(run.above) == Approx(run.commit >= 6 ? 0.2 : 0.0).margin(0.02));
    }
}

TEST_CASE("Commits of one product have one level, of the runs of all", "[bisect][search]") {
    Runs day(6);
    day.facts.product = {0, 1, 2, 2, 2, 5, 5};
    day.probe(0, {{0, 0.0}, {6, 0.1}});
    day.probe(0, {{0, 0.0}, {2, 0.03}});
    day.probe(0, {{0, 0.0}, {4, -0.01}});
    const auto levels = fit_levels(day.problem, day.facts, 0);
    REQUIRE(levels.places.size() == 3);
    CHECK(levels.of(2)->runs == 2);
    CHECK(ratio_of(levels, 2) == Approx(0.01).margin(0.008));
    CHECK(levels.of(4) == nullptr);
    CHECK(levels.runs.at(5).commit == 4);
}

TEST_CASE("A level is as sure as its runs and sessions make it", "[bisect][search]") {
    Runs day(4);
    for (int i = 0; i < 6; ++i) day.probe(0.01 * i, {{0, 0.001 * i}, {2, 0.1}, {2, 0.1}, {4, 0.1}});
    day.probe(0, {{0, 0.0}, {3, 0.1}});
    const auto levels = fit_levels(day.problem, day.facts, 0);
    CHECK(levels.of(0)->error == 0);
    CHECK(levels.of(2)->error > 0.001);
    CHECK(levels.of(3)->error > 1.5 * levels.of(2)->error);
}

TEST_CASE("Nothing measured has no levels", "[bisect][search]") {
    const Runs day(3);
    CHECK(fit_levels(day.problem, day.facts, 0).places.empty());
}

TEST_CASE("Levels of a day agree with its answer", "[bisect][search]") {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
        CAPTURE(seed);
        World world(40, {{.changes = {{17, 0.2}}, .noise = 0.02, .session_offset = 0.1}}, seed);
        world.confirm(6);
        const Decision decision = world.play();
        const SeriesEnding& culprit = decision.endings.front();
        REQUIRE(culprit.ending == Ending::culprit);
        const auto levels = fit_levels(world.problem, world.facts(), 0);
        const double step = levels.of(culprit.last)->above - levels.of(culprit.parent)->above;
        CHECK(std::expm1(step) == Approx(culprit.verified.change_ratio).margin(0.02));
        CHECK(ratio_of(levels, 40) == Approx(0.2).margin(0.05));
    }
}
