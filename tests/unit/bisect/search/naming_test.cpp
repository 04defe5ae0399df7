// What is measured of a culprit before it is named, and how large it is said to be.

#include <random>

#include <catch2/catch.hpp>

#include "bisect/search/rules.hpp"
#include "bisect/search/verify.hpp"
#include "tests/unit/bisect/search/world.hpp"

using namespace vigil;
using namespace vigil::search;

namespace {

constexpr int culprit = 23;

struct Day {
    World world;
    Decision decision;
    const SeriesEnding& ending() const { return decision.endings.at(0); }
};

Day play(SeriesTruth truth, double ratio, std::uint64_t seed) {
    truth.changes = {{culprit, ratio}};
    World world(70, {truth}, seed);
    world.confirm(6);
    auto decision = world.play();
    return {std::move(world), std::move(decision)};
}

/// Moments at which the culprit was measured against its parent.
int moments_of(const Day& day) {
    const auto& asked = day.world.asked();
    return static_cast<int>(std::count_if(asked.begin(), asked.end(), [](const auto& request) {
        return request.purpose == ProbePurpose::verify &&
               std::count(request.commits.begin(), request.commits.end(), culprit) > 0;
    }));
}

}  // namespace

TEST_CASE("A culprit is measured at two moments, four times a side", "[bisect][search]") {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        CAPTURE(seed);
        const auto day = play({.noise = 0.004}, 0.3, seed);
        REQUIRE(day.ending().ending == Ending::culprit);
        CHECK(day.ending().first == culprit);
        CHECK(moments_of(day) >= 2);
        CHECK(day.ending().verified.runs_before >= rule.least_runs);
        CHECK(day.ending().verified.runs_after >= rule.least_runs);
    }
}

TEST_CASE("Memory that is the same in every run is measured once", "[bisect][search]") {
    const auto day = play({.kind = MetricKind::memory, .noise = 1e-5}, 0.3, 1);
    REQUIRE(day.ending().ending == Ending::culprit);
    CHECK(moments_of(day) == 1);
}

TEST_CASE("The size of a culprit is that of all runs", "[bisect][search]") {
    int held = 0, days = 0;
    double error = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const auto day = play({.noise = 0.03}, 0.15, seed);
        if (day.ending().ending != Ending::culprit || day.ending().first != culprit) continue;
        const auto& size = day.ending().verified;
        ++days;
        held += size.low <= 0.15 && 0.15 <= size.high;
        error += std::abs(size.change_ratio - 0.15);
    }
    REQUIRE(days > 190);
    CHECK(held >= 0.85 * days);  // of intervals of 90 %
    // Two runs a side alone would be off by .024 on average, and four by .017.
    CHECK(error / days < 0.0135);
}

TEST_CASE("What differs from moment to moment is in the error", "[bisect][search]") {
    const auto error_of = [](double first, double second) {
        SeriesEvidence evidence;
        evidence.noise = 0.002;
        for (const int session : {0, 1}) {
            const double change = session == 0 ? first : second;
            for (const double noise : {-0.002, 0.001, 0.0, 0.002}) {
                evidence.runs.push_back({0, session, ProbePurpose::verify, noise});
                evidence.runs.push_back({1, session, ProbePurpose::verify, change + noise});
            }
        }
        for (Run& run : evidence.runs) run.probe = run.session;
        const auto test = test_pair(evidence, 0, 1);
        CHECK(test.rounds == 2);
        CHECK(test.runs() == 8);
        CHECK(test.change == Approx(0.1).margin(0.01));
        return test.own_error;
    };
    CHECK(error_of(0.1, 0.1) < 0.002);
    // Half of what lies between them.
    CHECK(error_of(0.07, 0.13) == Approx(0.03).epsilon(0.2));
}

TEST_CASE("One moment has an error, whatever its runs are", "[bisect][search]") {
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    for (int day = 0; day < 200; ++day) {
        SeriesEvidence evidence;
        evidence.noise = 0.01;
        for (int i = 0; i < 2; ++i) {
            evidence.runs.push_back({0, 0, ProbePurpose::verify, 0.02 * normal(random)});
            evidence.runs.push_back({1, 0, ProbePurpose::verify, 0.2 + 0.02 * normal(random)});
        }
        CHECK(test_pair(evidence, 0, 1).own_error < 0.1);
    }
}

TEST_CASE(
    "A build that differs from both neighbours is layout rather than two changes", "[search]") {
    // A simulated day: +10 % at 29, 1 % noise, and builds that differ by 2 % for no reason, 28 by 7
    // %.
    struct Probe {
        std::vector<int> commits;
        std::vector<double> z;  ///< ln of the values
        ProbePurpose purpose = ProbePurpose::search;
    };
    const std::vector<Probe> probes{
        {{0, 70}, {.000, .085}},
        {{0, 35}, {.007, .054}},
        {{70, 35}, {.090, .065}},
        {{0, 17}, {-.015, .002}},
        {{26}, {.008}},
        {{30}, {.088}},
        {{70, 28}, {.089, -.084}},
        {{28}, {-.066}},
        {{28}, {-.044}},
        {{0, 28}, {.009, -.068}},
        {{28}, {-.054}},
        {{28}, {-.066}},
        {{70, 28}, {.084, -.066}},
        {{28}, {-.054}},
        {{29}, {.065}},
        {{29, 28}, {.067, -.075}, ProbePurpose::verify},
        {{28, 29, 29, 28, 28, 29}, {-.055, .073, .086, -.060, -.063, .081}, ProbePurpose::verify},
        {{27}, {.000}},
        {{27, 28, 28, 27}, {.011, -.066, -.069, -.003}, ProbePurpose::verify},
        {{27, 28, 28, 27}, {-.010, -.066, -.078, -.005}, ProbePurpose::verify},
    };
    World world(70, {{.changes = {{29, 0.1}}}}, 1);
    world.problem.series[0].expected_ratio = 0.092;
    world.problem.series[0].noise = world.problem.series[0].nights = 0.0093;
    Facts facts = world.facts();
    std::set<int> built;
    for (const Probe& probe : probes) {
        ProbeRequest request;
        request.purpose = probe.purpose;
        request.commits = probe.commits;
        request.series = {0};
        for (std::size_t i = 0; i < probe.commits.size(); ++i) {
            Observation run;
            run.probe = static_cast<int>(facts.asked.size());
            run.purpose = probe.purpose;
            run.commit = probe.commits[i];
            run.value = std::exp(probe.z[i]);
            facts.observations.push_back(run);
            built.insert(run.commit);
        }
        facts.asked.push_back(request);
    }
    facts.built.assign(built.begin(), built.end());
    const Decision decision = next(world.problem, facts);
    std::vector<int> named;
    for (const auto* list : {&decision.verified, &decision.endings, &decision.further}) {
        for (const SeriesEnding& one : *list) {
            if (one.ending == Ending::culprit) named.push_back(one.first);
        }
    }
    CHECK(std::count(named.begin(), named.end(), 29) == 1);
    CHECK(std::count(named.begin(), named.end(), 28) == 0);
}
