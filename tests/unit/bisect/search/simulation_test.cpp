#include <iostream>

#include <catch2/catch.hpp>

#include "tests/unit/bisect/search/world.hpp"

using namespace vigil;
using namespace vigil::search;

namespace {

/// What came of many days of one kind, for one series each.
struct Tally {
    int days = 0;
    int right = 0;  ///< the culprit named
    int wrong = 0;  ///< an innocent commit named
    int ranges_with = 0;
    int ranges_without = 0;
    int cleared = 0;
    int runs = 0;
    int builds = 0;
    int most_steps = 0;

    void add(
        const World& world, const Decision& decision, const std::vector<std::set<int>>& truth) {
        REQUIRE(decision.done);
        REQUIRE(decision.endings.size() == truth.size());
        ++days;
        runs += world.runs;
        builds += world.builds();
        most_steps = std::max(most_steps, world.steps);
        for (std::size_t s = 0; s < truth.size(); ++s) {
            const SeriesEnding& e = decision.endings[s];
            CAPTURE(e.reason, e.first, e.last, s);
            const bool holds = std::any_of(truth[s].begin(), truth[s].end(), [&](int c) {
                return e.first <= c && c <= e.last;
            });
            if (e.ending == Ending::not_reproduced)
                ++cleared;
            else if (e.ending == Ending::culprit)
                ++(holds ? right : wrong);
            else
                ++(holds ? ranges_with : ranges_without);
        }
    }
};

void print(const std::string& name, std::uint64_t seed, const Tally& t) {
    std::cout << name << ": seeds from " << seed << ", " << t.days << " days, right " << t.right
              << ", wrong " << t.wrong << ", range " << t.ranges_with << "+" << t.ranges_without
              << ", cleared " << t.cleared << ", runs " << t.runs / t.days << ", builds "
              << static_cast<double>(t.builds) / t.days << ", most steps " << t.most_steps << '\n';
}

int place(std::mt19937_64& random, int suspects) {
    return std::uniform_int_distribution<int>(1, suspects)(random);
}

Tally one_culprit(
    SeriesTruth truth, double ratio, int days, std::uint64_t seed, int confirmed = 6) {
    Tally tally;
    for (int day = 0; day < days; ++day) {
        const std::uint64_t own = seed + static_cast<std::uint64_t>(day);
        std::mt19937_64 random(own);
        const int changed = place(random, 70);
        CAPTURE(own, changed);
        truth.changes = {{changed, ratio}};
        World world(70, {truth}, own);
        world.confirm(confirmed);
        tally.add(world, world.play(), {{changed}});
    }
    return tally;
}

}  // namespace

TEST_CASE("A quarter slower at one percent noise is named with few builds", "[bisect][search]") {
    const std::uint64_t seed = 1000;
    const Tally t = one_culprit({.noise = 0.015}, 0.25, 40, seed);
    print("+25 % at 1.5 %", seed, t);
    CHECK(t.wrong == 0);
    CHECK(t.right == 40);
    CHECK(t.builds <= 40 * 7);
    CHECK(t.runs <= 40 * 30);
}

TEST_CASE("Ten percent at noises from 0.3 to 3 percent is named", "[bisect][search]") {
    for (const double noise : {0.003, 0.01, 0.03}) {
        const std::uint64_t seed = 2000;
        const Tally t = one_culprit({.noise = noise}, 0.10, 25, seed);
        print("+10 % at " + std::to_string(100 * noise) + " %", seed, t);
        CHECK(t.wrong == 0);
        CHECK(t.right >= 22);
        CHECK(t.ranges_without == 0);
    }
}

TEST_CASE(
    "Outliers, drift between sessions and layout jitter name nobody wrong", "[bisect][search]") {
    const std::uint64_t seed = 3000;
    const Tally outliers = one_culprit({.noise = 0.01, .outliers = 0.05}, 0.15, 30, seed);
    print("5 % outliers", seed, outliers);
    CHECK(outliers.wrong == 0);
    CHECK(outliers.right >= 28);
    const Tally drift = one_culprit({.noise = 0.01, .session_offset = 0.05}, 0.15, 30, seed);
    print("5 % between sessions", seed, drift);
    CHECK(drift.wrong == 0);
    CHECK(drift.right >= 28);
    const Tally jitter = one_culprit({.noise = 0.01, .jitter = 0.005}, 0.15, 30, seed);
    print("0.5 % jitter", seed, jitter);
    CHECK(jitter.wrong == 0);
    CHECK(jitter.right >= 28);
}

TEST_CASE("Deterministic memory is named in a run or two a commit", "[bisect][search]") {
    const std::uint64_t seed = 4000;
    const Tally t = one_culprit({.kind = MetricKind::memory, .noise = 0}, 0.12, 40, seed, 2);
    print("memory", seed, t);
    CHECK(t.wrong == 0);
    CHECK(t.right == 40);
    CHECK(t.runs <= 40 * 20);
    CHECK(t.builds <= 40 * 7);
}

TEST_CASE("An unchanged day is not reproduced", "[bisect][search]") {
    Tally tally;
    const std::uint64_t seed = 5000;
    for (std::uint64_t day = 0; day < 20; ++day) {
        CAPTURE(seed + day);
        World world(70, {{.noise = 0.01}}, seed + day);
        tally.add(world, world.play(), {{}});
    }
    print("no change", seed, tally);
    CHECK(tally.cleared == 20);
    CHECK(tally.builds == 0);
}

TEST_CASE(
    "Two series with different culprits are both served and share builds", "[bisect][search]") {
    Tally tally;
    const std::uint64_t seed = 6000;
    for (std::uint64_t day = 0; day < 25; ++day) {
        std::mt19937_64 random(seed + day);
        const int a = place(random, 70);
        const int b = place(random, 70);
        CAPTURE(seed + day, a, b);
        SeriesTruth time{.changes = {{a, 0.25}}, .noise = 0.012};
        SeriesTruth memory{.kind = MetricKind::memory, .changes = {{b, 0.3}}, .noise = 0};
        World world(70, {time, memory}, seed + day);
        world.problem.workers = 2;
        world.confirm(4);
        tally.add(world, world.play(), {{a}, {b}});
    }
    print("time and memory", seed, tally);
    CHECK(tally.wrong == 0);
    CHECK(tally.right == 50);
    CHECK(tally.builds <= 25 * 14);
}

TEST_CASE("Two machine classes share the builds of one culprit", "[bisect][search]") {
    Tally tally;
    const std::uint64_t seed = 7000;
    for (std::uint64_t day = 0; day < 20; ++day) {
        std::mt19937_64 random(seed + day);
        const int a = place(random, 70);
        CAPTURE(seed + day, a);
        SeriesTruth first{.changes = {{a, 0.2}}, .noise = 0.012};
        SeriesTruth second{.group = 1, .changes = {{a, 0.3}}, .noise = 0.012};
        World world(70, {first, second}, seed + day);
        world.problem.workers = 2;
        world.confirm(6);
        tally.add(world, world.play(), {{a}, {a}});
    }
    print("two machine classes", seed, tally);
    CHECK(tally.wrong == 0);
    CHECK(tally.right == 40);
    CHECK(tally.builds <= 20 * 8);
}

TEST_CASE("Twelve series with two culprits cost little more than two", "[bisect][search]") {
    Tally tally;
    const std::uint64_t seed = 7500;
    for (std::uint64_t day = 0; day < 12; ++day) {
        std::mt19937_64 random(seed + day);
        const int a = place(random, 70);
        const int b = place(random, 70);
        CAPTURE(seed + day, a, b);
        std::vector<SeriesTruth> truth;
        std::vector<std::set<int>> culprits;
        for (int s = 0; s < 12; ++s) {
            const int culprit = s % 3 == 0 ? b : a;
            truth.push_back({.group = s % 2, .changes = {{culprit, 0.2}}, .noise = 0.012});
            culprits.push_back({culprit});
        }
        World world(70, truth, seed + day);
        world.problem.workers = 2;
        world.confirm(6);
        tally.add(world, world.play(), culprits);
    }
    print("twelve series", seed, tally);
    CHECK(tally.wrong == 0);
    CHECK(tally.right == 12 * 12);
    CHECK(tally.builds <= 12 * 14);  // two culprits apart: 2 * log2(70)
    CHECK(tally.runs <= 12 * 150);
}

TEST_CASE("A recovery is never the culprit, however early the search ends", "[bisect][search]") {
    int culprits = 0;
    int recoveries = 0;
    for (int probes = 1; probes <= 24; ++probes) {
        SeriesTruth truth{.changes = {{20, 0.35}, {50, -0.12}}, .noise = 0.008};
        World world(70, {truth}, 7700);
        world.problem.budget.max_probes = probes;
        world.confirm(6);
        const Decision decision = world.play();
        CAPTURE(probes, decision.summary);
        REQUIRE(decision.done);
        const SeriesEnding& ending = decision.endings.front();
        if (ending.ending == Ending::culprit) {
            ++culprits;
            CHECK(ending.last == 20);
            CHECK(ending.verified.change_ratio > 0);
        }
        for (const SeriesEnding& further : decision.further) {
            ++recoveries;
            CHECK(further.last == 50);
            CHECK(further.verified.change_ratio < 0);
        }
    }
    CHECK(culprits > 0);
    CHECK(recoveries > 0);
}

TEST_CASE("Two culprits in one series: a true one is named", "[bisect][search]") {
    Tally tally;
    const std::uint64_t seed = 8000;
    for (std::uint64_t day = 0; day < 25; ++day) {
        std::mt19937_64 random(seed + day);
        const int a = place(random, 70);
        const int b = place(random, 70);
        CAPTURE(seed + day, a, b);
        World world(70, {{.changes = {{a, 0.12}, {b, 0.25}}, .noise = 0.01}}, seed + day);
        world.confirm(6);
        const Decision decision = world.play();
        tally.add(world, decision, {{a, b}});
        for (const SeriesEnding& e : decision.further) {
            CHECK((e.last == a || e.last == b));
            CHECK(e.first == e.last);
            CHECK(e.last != decision.endings[0].last);
        }
    }
    print("two culprits", seed, tally);
    CHECK(tally.wrong == 0);
    CHECK(tally.right >= 23);
}

TEST_CASE("Broken stretches widen the answer no more than they must", "[bisect][search]") {
    Tally tally;
    const std::uint64_t seed = 9000;
    int inside = 0;
    int too_wide = 0;
    for (std::uint64_t day = 0; day < 30; ++day) {
        std::mt19937_64 random(seed + day);
        const int start = std::uniform_int_distribution<int>(5, 55)(random);
        const int culprit = day % 2 == 0 ? start + 3 : place(random, 70);
        CAPTURE(seed + day, start, culprit);
        World world(70, {{.changes = {{culprit, 0.2}}, .noise = 0.012}}, seed + day);
        for (int c = start; c < start + 8; ++c) world.broken.insert(c);
        world.confirm(6);
        const Decision decision = world.play();
        tally.add(world, decision, {{culprit}});
        int low = culprit;
        while (low > 1 && world.broken.count(low - 1) > 0) --low;
        int high = culprit;
        while (world.broken.count(high) > 0) ++high;
        const SeriesEnding& e = decision.endings[0];
        CAPTURE(e.first, e.last, e.reason);
        too_wide += e.first != low || e.last != high;
        inside += low != high;
    }
    print("broken stretch", seed, tally);
    CHECK(tally.wrong == 0);
    CHECK(tally.ranges_without == 0);
    CHECK(too_wide <= 1);
    CHECK(inside >= 15);
    CHECK(tally.ranges_with <= inside + 1);
}
