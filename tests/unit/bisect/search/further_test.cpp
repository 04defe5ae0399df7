#include "bisect/search/further.hpp"

#include <cmath>
#include <set>

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

TEST_CASE("What is verified explains a part of what the ends differ by", "[bisect][search]") {
    const auto whole = explain(0.2, std::vector{0.2}, 0.01);
    CHECK(whole.share == Approx(1));
    CHECK(whole.rest_ratio == Approx(0).margin(1e-12));
    CHECK(whole.enough());
    // The smallest of three steps.
    const auto least = explain(0.2, std::vector{0.046}, 0.01);
    CHECK(least.share == Approx(0.2466).epsilon(1e-3));
    CHECK(least.rest_ratio == Approx(1.2 / 1.046 - 1));
    CHECK_FALSE(least.enough());
    const auto both = explain(0.21, std::vector{0.1, 0.1}, 0.01);
    CHECK(both.share == Approx(1));
    const auto undone = explain(0.1, std::vector{0.25}, 0.01);
    CHECK_FALSE(undone.enough());
    CHECK(undone.rest_ratio == Approx(-0.12));
    CHECK_FALSE(explain(0, std::vector{0.1}, 0.01).enough());
}

TEST_CASE("A rest is there only where its interval excludes 0", "[bisect][search]") {
    const auto noise = explain(0.121, std::vector{0.168}, 0.04);  // 136 % of it
    CHECK_FALSE(noise.enough());
    CHECK_FALSE(noise.has_rest());
    CHECK(noise.rest_low < 0);
    CHECK(noise.rest_high > 0);
    CHECK(explain(0.121, std::vector{0.168}, 0.01).has_rest());
    CHECK(explain(0.3, std::vector{0.1}, 0.05).has_rest());
    CHECK_FALSE(Explained{0.2, 0.5, 0.1}.has_rest());  // an older row's, without an interval
}

TEST_CASE("No change is said to remain where the ends do not show one", "[bisect][search]") {
    int told = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        World world(40, {{.changes = {{17, 0.12}}, .noise = 0.05, .jitter = 0.008}}, seed);
        world.problem.budget.further = seed % 2 == 0 ? 1 : 0;
        world.confirm(6);
        const Decision decision = world.play();
        const SeriesEnding& ending = decision.endings.front();
        if (!ending.remaining) continue;
        ++told;
        REQUIRE(ending.explained);
        CHECK(ending.explained->has_rest());
        CHECK(ending.remaining->change_ratio == ending.explained->rest_ratio);
    }
    CHECK(told <= 9);  // about a tenth: intervals of 90 %
}

TEST_CASE("A culprit says what part of the change it explains, and what remains", "[search]") {
    World world(40, {{.changes = {{11, 0.3}, {28, 0.12}}, .noise = 0.01}}, 3);
    world.problem.budget.max_builds = 7;
    world.confirm(6);
    const Decision decision = world.play();
    const SeriesEnding& main = decision.endings.front();
    REQUIRE(main.explained);
    CHECK(main.explained->whole_ratio == Approx(1.3 * 1.12 - 1).margin(0.03));
    CHECK(main.explained->share == Approx(0.698).margin(0.06));
    CHECK(main.explained->rest_ratio == Approx(0.12).margin(0.05));

    World both(40, {{.changes = {{11, 0.3}, {28, 0.12}}, .noise = 0.01}}, 3);
    both.confirm(6);
    const Decision all = both.play();
    REQUIRE(all.further.size() == 1);
    CHECK(all.endings.front().explained->enough());
    CHECK(all.endings.front().explained->share == Approx(1).margin(0.1));
}

TEST_CASE("What remains and has no likely place is where the levels rise", "[bisect][search]") {
    Problem problem;
    problem.suspects = 9;
    problem.series = {{}};
    const Line line(problem, {});
    FittedLevels levels;
    levels.places = {{0, 0.0}, {3, 0.0}, {4, 0.05}, {7, 0.08}, {9, 0.13}};
    const auto rest = unexplained(levels, std::expm1(0.08), line, {1});
    CHECK(rest.first == 5);
    CHECK(rest.last == 9);
    CHECK(rest.change_ratio == Approx(std::expm1(0.08)));
    // For the better: where they fall.
    levels.places = {{0, 0.0}, {3, -0.05}, {4, 0.1}, {9, 0.11}};
    const auto better = unexplained(levels, std::expm1(-0.05), line, {1});
    CHECK(better.first == 1);
    CHECK(better.last == 3);
}

TEST_CASE("A culprit that is verified is told before further changes are found", "[search]") {
    World world(40, {{.changes = {{11, 0.3}, {28, 0.12}}, .noise = 0.01}}, 3);
    for (int commit = 0; commit <= 40; ++commit) {
        world.problem.names.push_back("c" + std::to_string(commit) + "c");
    }
    world.confirm(6);
    world.play();
    bool told = false;
    for (std::size_t probes = 1; probes < world.asked().size() && !told; ++probes) {
        Facts early = world.facts();
        early.asked.resize(probes);
        std::erase_if(
            early.observations, [&](const auto& o) { return o.probe >= static_cast<int>(probes); });
        const Decision decision = next(world.problem, early);
        if (decision.done || decision.verified.empty() || decision.probes.empty()) continue;
        if (decision.probes.front().purpose != ProbePurpose::search) continue;
        told = true;
        CHECK(decision.verified.front().first == 11);
        CHECK(decision.summary.find("commit c11c is verified (+") == 0);
        const auto& why = decision.probes.front().why;
        CAPTURE(why);
        CHECK(why.find("looking for a further change of about +") == 0);
    }
    CHECK(told);
    for (const auto& asked : world.asked()) {
        CAPTURE(asked.why);
        CHECK(asked.why.find("commit 1") == asked.why.npos);
        CHECK(asked.why.find("commit 2") == asked.why.npos);
    }
}

TEST_CASE("Looking for further changes is bounded, and can be left out", "[bisect][search]") {
    const auto runs = [](double further) {
        int sum = 0;
        for (std::uint64_t seed = 0; seed < 12; ++seed) {
            World world(60, {{.changes = {{23, 0.15}, {41, 0.08}}, .noise = 0.03}}, seed);
            world.problem.budget.further = further;
            world.confirm(6);
            const Decision decision = world.play();
            REQUIRE(decision.done);
            for (const auto& other : decision.further) CHECK(other.verified.runs_after > 0);
            sum += world.runs;
        }
        return sum;
    };
    const int unbounded = runs(1e9);
    const int usual = runs(1);
    const int none = runs(0);
    CAPTURE(unbounded, usual, none);
    CHECK(usual <= unbounded);
    CHECK(none < unbounded);

    World two(40, {{.changes = {{11, 0.3}, {28, 0.12}}, .noise = 0.01}}, 3);
    two.problem.budget.further = 0;
    two.confirm(6);
    const Decision first = two.play();
    REQUIRE(first.endings.front().ending == Ending::culprit);
    CHECK(first.endings.front().first == 11);
    CHECK(first.further.empty());
    REQUIRE(first.endings.front().remaining);  // and yet it says what else there is
}

TEST_CASE("That bound holds whatever the culprit leaves unexplained", "[bisect][search]") {
    Problem problem;
    problem.suspects = 9;
    problem.costs.build = 0;
    problem.series = {{}};
    Facts facts;
    facts.asked.push_back({0, ProbePurpose::verify, {4, 5}, {0}, ""});
    facts.asked.push_back({0, ProbePurpose::search, {0, 7, 7}, {0}, ""});
    const Line line(problem, facts);
    SeriesEnding culprit;
    culprit.parent = 4;
    culprit.last = 5;
    const Explained rest{0.2, 0.5, 0.1, 0.08, 0.12};
    for (const Explained& explained : {Explained{}, rest}) {
        culprit.explained = explained;
        problem.budget.further = 1;
        CHECK(is_enough_spent(problem, facts, line, culprit, {}));
        problem.budget.further = 2;  // nothing of this was spent yet
        CHECK_FALSE(is_enough_spent(problem, facts, line, culprit, {}));
        problem.budget.further = 0;
        CHECK(is_enough_spent(problem, facts, line, culprit, {}));
    }
    // What is verified on the way to a rest allows for as much again.
    problem.budget.further = 1;
    facts.asked.push_back({0, ProbePurpose::verify, {6, 7}, {0}, ""});
    SeriesEnding other;
    other.parent = 6;
    other.last = 7;
    CHECK_FALSE(is_enough_spent(problem, facts, line, culprit, {other}));
    culprit.explained = Explained{};
    CHECK(is_enough_spent(problem, facts, line, culprit, {other}));

    // Builds that scatter, and many small steps: the ends differ by more than the culprit.
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        CAPTURE(seed);
        SeriesTruth truth{.changes = {{12, 0.15}}, .noise = 0.03, .jitter = 0.01};
        for (int commit = 20; commit < 60; commit += 4) truth.changes[commit] = 0.02;
        World world(60, {truth}, seed);
        world.confirm(6);
        const Decision decision = world.play();
        const SeriesEnding& ending = decision.endings.front();
        if (ending.ending != Ending::culprit || !decision.further.empty()) continue;
        const auto& asked = world.asked();
        std::size_t found = 0, all = 0;
        for (const ProbeRequest& one : asked) {
            all += one.commits.size();
            const auto& c = one.commits;
            const bool both = std::count(c.begin(), c.end(), ending.last) > 0 &&
                              std::count(c.begin(), c.end(), ending.parent) > 0;
            if (one.purpose == ProbePurpose::verify && both) found = all;
        }
        CHECK(all <= 2 * found + 40);  // builds count too, and the last probe may be long
        REQUIRE(ending.remaining);
        CHECK(
            ending.reason.find("looking for what is left was ended at 100 %") != std::string::npos);
    }
}

TEST_CASE("A further change too unlikely to build for is looked for in what is built", "[search]") {
    int made_sure = 0;
    int all_named = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        CAPTURE(seed);
        const int a = 2 + static_cast<int>(seed * 7 % 25);
        const int b = a + 2 + static_cast<int>(seed * 5 % 11);
        World world(
            70, {{.changes = {{a, 0.12}, {b, -0.07}, {b + 20, 0.15}}, .noise = 0.02}}, seed);
        world.confirm(2);
        const Decision decision = world.play();
        REQUIRE(decision.done);
        CHECK(decision.endings.front().reason.find("no further run") == std::string::npos);
        all_named += decision.further.size() == 2;
        std::set<int> built{0, 70};
        for (const ProbeRequest& asked : world.asked()) {
            if (asked.why.find("making sure that no further change") == 0) {
                ++made_sure;
                for (const int commit : asked.commits) CHECK(built.contains(commit));
            }
            built.insert(asked.commits.begin(), asked.commits.end());
        }
    }
    CAPTURE(made_sure, all_named);
    CHECK(made_sure >= 5);
    CHECK(all_named >= 24);  // 17 where nothing is measured again
}
