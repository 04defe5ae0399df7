#include <catch2/catch.hpp>

#include "bisect/search/availability.hpp"
#include "bisect/search/posterior.hpp"
#include "bisect/search/verify.hpp"
#include "tests/unit/bisect/search/world.hpp"

using namespace vigil;
using namespace vigil::search;

namespace {

/// Facts of a day in which commits failed so often; nothing else was built.
Availability after_failures(World& world, std::vector<Failure> failures) {
    Facts facts = world.facts();
    facts.failures = std::move(failures);
    return Availability(world.problem, facts);
}

}  // namespace

TEST_CASE("A commit that fails alone is broken at the third try", "[bisect][search]") {
    World world(70, {{.changes = {{35, 0.25}}}}, 1);
    CHECK(after_failures(world, {}).chance(35) > 0.9);
    for (const int times : {1, 2}) {
        const double again = after_failures(world, {{35, times}}).chance(35);
        CHECK(again < 0.5);
        CHECK(again > 0);
    }
    CHECK(after_failures(world, {{35, 3}}).unusable(35));
    CHECK_FALSE(after_failures(world, {{35, 1}}).unusable(35));
    CHECK_FALSE(after_failures(world, {{34, 1}, {35, 1}}).unusable(35));
    CHECK(after_failures(world, {{34, 1}, {35, 2}}).unusable(35));
    CHECK(after_failures(world, {{30, 1}, {35, 1}, {38, 1}}).unusable(35));
}

TEST_CASE("The edges of a long broken stretch are found by halving", "[bisect][search]") {
    for (std::uint64_t seed = 11; seed < 16; ++seed) {
        World world(600, {{.changes = {{300, 0.25}}, .noise = 0.01}}, seed);
        for (int c = 200; c < 400; ++c) world.broken.insert(c);
        world.confirm(4);
        const Decision decision = world.play();
        CAPTURE(seed, decision.summary, world.builds());
        REQUIRE(decision.done);
        CHECK(decision.endings[0].first == 200);
        CHECK(decision.endings[0].last == 400);
        CHECK(world.builds() <= 35);
    }
}

TEST_CASE("A guess of the noise far too large is soon unlearned", "[bisect][search]") {
    int runs = 0;
    for (std::uint64_t seed = 21; seed < 31; ++seed) {
        World world(70, {{.changes = {{30, 0.1}}, .noise = 0.004}}, seed);
        world.problem.series[0].noise = 0.03;
        const Decision decision = world.play();
        CAPTURE(seed, decision.summary);
        REQUIRE(decision.done);
        CHECK(decision.endings[0].ending == Ending::culprit);
        CHECK(decision.endings[0].last == 30);
        runs += world.runs;
    }
    CHECK(runs <= 10 * 35);
}

TEST_CASE("A net change at the border is searched, not measured for ever", "[bisect][search]") {
    // +10 % and -6 %: together just half the threshold.
    World world(70, {{.changes = {{30, 0.1}, {50, -0.06}}, .noise = 0.004}}, 22);
    const Decision decision = world.play();
    CAPTURE(decision.summary);
    REQUIRE(decision.done);
    CHECK(decision.endings[0].ending == Ending::culprit);
    CHECK(decision.endings[0].last == 30);
    CHECK(world.runs <= 120);
}

TEST_CASE("Suspects are measured once a change is likelier than none", "[bisect][search]") {
    // Two runs a side at 3 % noise: the ends differ by so much.
    const auto asked_after = [](double change) {
        World world(70, {{.changes = {{35, 0.1}}}}, 1);
        world.problem.series[0].noise = 0.03;
        Facts facts = world.facts();
        ProbeRequest ends;
        ends.commits = {0, 70, 70, 0};
        ends.series = {0};
        facts.asked.push_back(ends);
        for (const int commit : ends.commits) {
            Observation run;
            run.probe = 0;
            run.commit = commit;
            run.value = std::exp(commit == 0 ? 0 : change);
            facts.observations.push_back(run);
        }
        const Decision decision = next(world.problem, facts);
        REQUIRE(decision.probes.size() == 1);
        return decision.probes[0].commits;
    };
    const auto is_of_ends = [](const std::vector<int>& commits) {
        return std::all_of(
            commits.begin(), commits.end(), [](int commit) { return commit == 0 || commit == 70; });
    };
    CHECK(is_of_ends(asked_after(0.02)));
    CHECK_FALSE(is_of_ends(asked_after(0.05)));
}

TEST_CASE("One run of each end is enough where the noise is known and small", "[bisect][search]") {
    World world(70, {{.changes = {{35, 0.25}}}}, 41);
    const Decision unknown = next(world.problem, world.facts());
    REQUIRE(unknown.probes.size() == 1);
    CHECK(unknown.probes[0].commits.size() == 4);
    world.problem.series[0].noise = 0.005;
    const Decision known = next(world.problem, world.facts());
    REQUIRE(known.probes.size() == 1);
    CHECK(known.probes[0].commits == std::vector<int>{0, 70});
}

TEST_CASE(
    "A verification is believed where every session has an offset of its own", "[bisect][search]") {
    int named = 0;
    for (std::uint64_t seed = 51; seed < 71; ++seed) {
        SeriesTruth truth{.changes = {{22, 0.1}}, .noise = 0.02, .session_offset = 0.1};
        World world(40, {truth}, seed);
        world.confirm(6);
        const Decision decision = world.play();
        CAPTURE(seed, decision.summary, decision.endings[0].reason);
        REQUIRE(decision.done);
        if (decision.endings[0].ending != Ending::culprit) continue;
        CHECK(decision.endings[0].last == 22);
        CHECK(decision.endings[0].probability >= 0.98);
        ++named;
    }
    CHECK(named >= 19);
}

TEST_CASE("A change too small to tell is seen, and not looked for", "[bisect][search]") {
    World world(3, {{.noise = 0.0002}}, 81);
    Facts facts = world.facts();
    const std::vector<double> levels{1.0, 1.3, 1.32, 1.32};
    for (int i = 0; i < 24; ++i) {
        const int commit = i % 4;
        const double value = levels[static_cast<std::size_t>(commit)] * (1 + 0.0002 * (i % 3));
        facts.observations.push_back({0, ProbePurpose::search, commit, 0, value});
    }
    Problem problem = world.problem;
    problem.series[0].noise = 0.0002;
    problem.series[0].expected_ratio = 0.32;
    problem.series[0].kind = MetricKind::memory;
    const Line line(problem, facts);
    const Posterior posterior(gather(problem, facts, line, 0), line, MetricKind::memory);
    CHECK(posterior.changed(0) > 0.99);
    CHECK(posterior.notable(0) > 0.99);
    CHECK(posterior.effect(1) == Approx(std::log(1.32 / 1.3)).margin(0.002));
    CHECK(posterior.changed(1) > 0.1);
    CHECK(posterior.notable(1) < 0.2 * posterior.changed(1));
}

namespace {

/// What is thought of the builds' jitter after a few builds whose runs agree with each other.
double jitter_after(double nights, const std::vector<double>& levels) {
    World world(5, {{.noise = 0.004}}, 82);
    Problem problem = world.problem;
    problem.series[0].noise = 0.004;
    problem.series[0].nights = nights;
    Facts facts;
    for (int i = 0; i < 24; ++i) {
        const int commit = i % 6;
        const double own = i % 4 < 2 ? 0.004 : -0.004;
        const double value = std::exp(levels[static_cast<std::size_t>(commit)] + own);
        facts.observations.push_back({0, ProbePurpose::search, commit, 0, value});
    }
    const Line line(problem, facts);
    return Posterior(gather(problem, facts, line, 0), line, MetricKind::time).jitter();
}

}  // namespace

TEST_CASE("Earlier nights tell what builds may differ by for no reason", "[bisect][search]") {
    const std::vector<double> apart{0, 0.012, -0.01, 0.1, 0.112, 0.095};
    const double unknown = jitter_after(0, apart);
    CHECK(jitter_after(0.004, apart) < unknown);
    CHECK(jitter_after(0.016, apart) > unknown);
    const std::vector<double> alike{0, 0, 0, 0.1, 0.1, 0.1};
    CHECK(jitter_after(0.004, alike) < 0.005);
}

TEST_CASE("Where builds differ for no reason, what may be that is a range", "[bisect][search]") {
    int named = 0, wrong = 0, ranges = 0;
    for (std::uint64_t seed = 91; seed < 131; ++seed) {
        const int culprit = 10 + static_cast<int>(seed * 7 % 50);
        SeriesTruth truth{.changes = {{culprit, 0.1}}, .noise = 0.005, .jitter = 0.02};
        World world(70, {truth}, seed);
        world.problem.series[0].noise = 0.02;
        world.problem.series[0].nights = 0.0206;
        const Decision decision = world.play();
        CAPTURE(seed, culprit, decision.summary, decision.endings[0].reason);
        REQUIRE(decision.done);
        const SeriesEnding& ending = decision.endings[0];
        if (ending.ending != Ending::culprit) {
            ++ranges;
            CHECK(ending.first <= culprit);
            CHECK(ending.last >= culprit);
            continue;
        }
        ++(ending.last == culprit ? named : wrong);
        wrong += static_cast<int>(decision.further.size());
    }
    CAPTURE(named, wrong, ranges);
    CHECK(wrong <= 1);  // of 850 other such days 6; 5 if P must be 0.99
    CHECK(named >= 30);
}

TEST_CASE("A change far larger than expected is found", "[bisect][search]") {
    for (const double times : {3.0, 6.0, 45.0, 150.0}) {
        for (const double noise : {0.0, 0.005, 0.02, 0.05}) {
            World world(70, {{.changes = {{41, times - 1}}, .noise = noise}}, 141);
            world.problem.series[0].expected_ratio = 0.1;
            world.problem.series[0].noise = noise;
            const Decision decision = world.play();
            CAPTURE(times, noise, decision.summary, decision.endings[0].reason);
            REQUIRE(decision.done);
            CHECK(decision.endings[0].ending == Ending::culprit);
            CHECK(decision.endings[0].last == 41);
            CHECK(world.runs <= 30);
        }
    }
}

TEST_CASE("A verification that nearly convinced goes on with few runs", "[bisect][search]") {
    CHECK(runs_to_verify(0.1, 0.012) == 2);
    const int first = runs_to_verify(0.1, 0.05);
    CHECK(first > 4);
    CHECK(first < 12);
    CHECK(runs_to_verify(0.01, 0.1) == 32);
    PairTest test;
    test.rounds = 1;
    test.runs_after = first;
    test.own_error = 0.025;
    test.freedom = 20;
    test.change = 0.06;
    const int near = runs_to_verify(0.1, 0.05, test);
    test.change = 0.02;
    const int far = runs_to_verify(0.1, 0.05, test);
    test.change = -0.02;
    CHECK(near < first);
    CHECK(near < far);
    CHECK(far < runs_to_verify(0.1, 0.05, test));
    test.change = -0.06;
    CHECK(runs_to_verify(-0.1, 0.05, test) == near);
}
