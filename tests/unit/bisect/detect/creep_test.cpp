#include "bisect/detect/creep.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"

using namespace vigil;
using detect::Creep;
using detect::find_creep;

namespace {

std::optional<Creep> creep_of(
    const std::vector<double>& level,
    std::optional<double> pinned = {},
    Direction direction = Direction::lower_is_better) {
    return find_creep({level, {}, pinned, 0, direction, 0.07});
}

/// `quiet` nights at 100, then `steps` steps of `factor`, each staying for `every` nights.
std::vector<double> creeping(
    int quiet, int steps, double factor, int every, double noise, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, noise);
    std::vector<double> level;
    double value = 100;
    for (int i = 0; i < quiet; ++i) level.push_back(value * std::exp(normal(random)));
    for (int i = 0; i < steps * every; ++i) {
        if (i % every == 0) value *= factor;
        level.push_back(value * std::exp(normal(random)));
    }
    return level;
}

}  // namespace

TEST_CASE("Small steps are summed, from the night before the first", "[bisect][detect]") {
    for (const int every : {1, 2, 5, 20}) {
        for (unsigned seed = 1; seed <= 5; ++seed) {
            CAPTURE(every, seed);
            auto level = creeping(12, 5, 1.02, every, 0.004, seed);
            for (int i = 0; i < 3; ++i) level.push_back(level.back());
            const auto creep = creep_of(level);
            REQUIRE(creep);
            CHECK(creep->begin <= 11);
            CHECK(creep->begin >= 9);
            CHECK(creep->base == Approx(100).margin(0.6));
            CHECK(creep->change_ratio == Approx(std::pow(1.02, 5) - 1).margin(0.015));
            CHECK(creep->reason.find("oldest") != std::string::npos);
        }
    }
}

TEST_CASE("A sum of exactly the threshold is no creep", "[bisect][detect]") {
    std::vector<double> level(10, 100);
    level.insert(level.end(), {102, 104, 105, 107, 107, 107});
    CHECK_FALSE(creep_of(level));
    for (int i = 0; i < 3; ++i) level.push_back(107.01);
    CHECK(creep_of(level)->begin == 9);
    CHECK_FALSE(creep_of(level, {}, Direction::higher_is_better));
    for (double& value : level) value = 1e4 / value;
    CHECK(creep_of(level, {}, Direction::higher_is_better));
    CHECK_FALSE(creep_of(level));
}

TEST_CASE("What crept up and went back is over", "[bisect][detect]") {
    auto level = creeping(12, 5, 1.02, 3, 0.004, 1);
    REQUIRE(creep_of(level));
    level.push_back(100);
    CHECK_FALSE(creep_of(level));
}

TEST_CASE("A pinned night below the oldest ones is what counts", "[bisect][detect]") {
    const std::vector<double> level{106, 106.5, 107, 100, 106, 106.5, 107, 107.5, 108, 108, 108};
    CHECK_FALSE(creep_of(level));
    const auto creep = creep_of(level, 100);
    REQUIRE(creep);
    CHECK(creep->base == Approx(100));
    CHECK(creep->begin == 3);
    CHECK(creep->reason.find("pinned") != std::string::npos);
}

TEST_CASE("Noise alone hardly ever creeps", "[bisect][detect]") {
    int found = 0;
    for (unsigned seed = 1; seed <= 500; ++seed) {
        const double noise = seed % 2 == 0 ? 0.03 : 0.1;
        found += creep_of(creeping(60, 0, 1, 1, noise, seed)) ? 1 : 0;
    }
    CHECK(found <= 2);
}

TEST_CASE("Too few nights and impossible values do not creep", "[bisect][detect]") {
    CHECK_FALSE(creep_of({}));
    CHECK_FALSE(creep_of({100, 110, 120, 130, 140}));
    CHECK_THROWS_AS(creep_of({100, -1, 100}), Error);
    CHECK_THROWS_AS(creep_of({100, NAN}), Error);
}

TEST_CASE(
    "Of a level without its oldest nights the sum is counted from these", "[bisect][detect]") {
    const std::vector<double> level(20, 108);
    CHECK_FALSE(creep_of(level));
    const std::vector<double> oldest(7, std::log(100));
    const auto creep = find_creep({level, oldest, {}, 0, Direction::lower_is_better, 0.07});
    REQUIRE(creep);
    CHECK(creep->change_ratio == Approx(0.08));
    CHECK(creep->begin == 0);
}

TEST_CASE("A sum that is mostly one step begins at the step", "[bisect][detect]") {
    auto level = creeping(30, 1, 1.02, 20, 0.002, 3);
    for (int i = 0; i < 6; ++i) level.push_back(111 + 0.1 * i);
    const auto creep = creep_of(level);
    REQUIRE(creep);
    CHECK(creep->is_step);
    CHECK(creep->begin >= 48);
    CHECK(creep->begin <= 49);
    CHECK(creep->base == Approx(102).margin(0.5));
}
