#include <array>

#include <catch2/catch.hpp>

#include "tests/bench/bisect/families.hpp"
#include "tests/bench/bisect/pinpoint.hpp"
#include "tests/bench/bisect/score.hpp"

using namespace vigil;
using namespace vigil::bench;

namespace {

World noisy_world(std::uint64_t seed) {
    World world;
    world.seed = seed;
    world.series = {{.changes = {{30, 0.2}}, .noise = {.spread = 0.02}, .jitter = 0.003}};
    world.drift = {Drift::Kind::wander, 0.02, 40};
    world.workers = 2;
    world.machine_spread = 0.01;
    return world;
}

std::vector<double> values_of(const World& world, const std::vector<int>& commits) {
    Lab lab(world);
    lab.submit({commits, {0}});
    std::vector<double> values;
    for (const Outcome& outcome : lab.finish_next()) values.push_back(outcome.value);
    return values;
}

}  // namespace

TEST_CASE("A day is the same for the same seed and another for another", "[bench][bisect]") {
    const std::vector<int> commits{0, 30, 29, 30, 70};
    CHECK(values_of(noisy_world(5), commits) == values_of(noisy_world(5), commits));
    CHECK(values_of(noisy_world(5), commits) != values_of(noisy_world(6), commits));
    for (const Family& family : single_families()) {
        const World a = family.day(9);
        const World b = family.day(9);
        CAPTURE(family.name);
        CHECK(a.broken == b.broken);
        CHECK(a.seen_ratio(0) == b.seen_ratio(0));
        CHECK(a.history(0) == b.history(0));
        CHECK(a.value(0, 1, 0, 3, 0) == b.value(0, 1, 0, 3, 0));
    }
}

TEST_CASE("Every rule comes to the same answer and bill again", "[bench][bisect]") {
    for (const Rule& rule : all_rules()) {
        CAPTURE(rule.name);
        const World world = random_family().day(3);
        Lab first(world);
        Lab second(world);
        const auto a = rule.play(world, first);
        const auto b = rule.play(world, second);
        REQUIRE(a.size() == 1);
        REQUIRE(b.size() == 1);
        CHECK(a[0].kind == b[0].kind);
        CHECK(a[0].set == b[0].set);
        CHECK(first.bill().runs > 0);
        CHECK(first.bill().runs == second.bill().runs);
        CHECK(first.bill().cost == second.bill().cost);
    }
}

TEST_CASE("The nth run of a commit draws the same noise whoever asks for it", "[bench][bisect]") {
    World world = noisy_world(7);
    world.drift = {};
    world.workers = 1;
    const auto a = values_of(world, {40, 40, 10});
    const auto b = values_of(world, {10, 40, 40});
    CHECK(a[0] == b[1]);
    CHECK(a[1] == b[2]);
    CHECK(a[2] == b[0]);
    CHECK(a[0] != a[1]);
}

TEST_CASE("The bill counts builds once and failed ones by half", "[bench][bisect]") {
    World world = noisy_world(1);
    world.broken = {12};
    world.workers = 1;
    world.change_cost = 0;
    Lab lab(world);
    CHECK(lab.measure(11, 0, 2).size() == 2);
    CHECK(lab.measure(12, 0, 2).empty());
    CHECK(lab.measure(11, 0, 1).size() == 1);
    CHECK(lab.bill().builds == 1);
    CHECK(lab.bill().runs == 3);
    CHECK(lab.bill().cost == Approx(10 + 5 + 3));
    CHECK(lab.bill().time == Approx(18));
}

TEST_CASE("Two workers work at once and wait for one build", "[bench][bisect]") {
    World world = noisy_world(1);
    world.change_cost = 0;
    Lab lab(world);
    lab.submit({{11}, {0}});
    lab.submit({{22, 22}, {0}});
    lab.submit({{22, 22, 22}, {0}});  // waits for a worker, finds its product
    CHECK(lab.finish_next().front().commit == 11);
    CHECK(lab.finish_next().size() == 2);
    CHECK(lab.finish_next().size() == 3);
    CHECK(lab.bill().builds == 2);
    CHECK(lab.bill().time == Approx(14));
    CHECK_FALSE(lab.is_busy());
}

TEST_CASE("Marks tell right, wrong, missed and open apart", "[bench][bisect]") {
    World world = noisy_world(1);
    world.series.front().changes = {{30, 0.2}, {50, -0.1}};
    world.broken = {31, 32};
    const auto named = [&](std::vector<Stretch> stretches) {
        return mark(world, 0, {Answer::Kind::named, std::move(stretches), {}});
    };
    CHECK(named({{30, 30}}).right);
    CHECK_FALSE(named({{30, 30}}).named);
    CHECK(named({{30, 30}, {50, 50}}).named);
    CHECK(named({{31, 31}}).wrong);
    CHECK(named({{30, 30}, {9, 9}}).wrong);
    CHECK(named({{20, 40}}).open);
    CHECK(named({{20, 40}}).holds);
    CHECK(named({{50, 50}}).open);
    CHECK_FALSE(named({{50, 50}}).holds);
    CHECK(mark(world, 0, {Answer::Kind::cleared, {}, {}}).missed);
    CHECK(mark(world, 0, {Answer::Kind::open, {}, {29, 30}}).holds);
    world.series.front().changes = {{32, 0.2}};
    CHECK(named({{31, 33}}).right);
    CHECK(named({{30, 33}}).open);
    world.series.front().changes.clear();
    CHECK(mark(world, 0, {Answer::Kind::cleared, {}, {}}).named);
    CHECK(named({{30, 30}}).wrong);
}

TEST_CASE("Ranks tell apart what does not overlap, and nothing else", "[bench][bisect]") {
    const std::array<double, 6> low{1, 2, 3, 4, 5, 6};
    const std::array<double, 6> high{11, 12, 13, 14, 15, 16};
    const std::array<double, 6> mixed{1.5, 2.5, 3.5, 4.5, 5.5, 6.5};
    const std::array<double, 6> equal{1, 1, 1, 1, 1, 1};
    CHECK(rank_test(low, high) < 0.01);
    CHECK(rank_test(low, mixed) > 0.2);
    CHECK(rank_test(equal, equal) == 1);
}

TEST_CASE("Days of many series share or part their culprits as they say", "[bench][bisect]") {
    for (const Family& family : many_families()) {
        const World world = family.day(2);
        const World one = one_series_of(world);
        CAPTURE(family.name);
        std::set<int> culprits;
        for (const SeriesTruth& truth : world.series) {
            for (const Change& change : truth.changes) culprits.insert(change.commit);
        }
        CHECK(world.series.size() >= 2);
        CHECK(one.series.size() == 1);
        CHECK(one.series.front().changes.size() == culprits.size());
    }
}
