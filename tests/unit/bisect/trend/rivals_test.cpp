#include "bisect/trend/rivals.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <catch2/catch.hpp>

using namespace vigil;
using trend::Background;
using trend::LevelWatchRules;
using trend::Rival;

namespace {

/// Sixty nights of Gaussian noise at level 0.
Background noise_of(double spread) {
    std::mt19937 random(7);
    std::normal_distribution<double> normal(0, spread);
    Background before;
    before.nights = 60;
    before.level_nights = 60;
    before.spread = spread;
    before.wide = 0.5 / 85;
    for (int i = 0; i < 60; ++i) {
        before.residuals.push_back(normal(random));
        before.largest = std::max(before.largest, std::abs(before.residuals.back()));
    }
    return before;
}

/// What two nights of this level need over the series' own noise.
double needed_of_two(double level, const LevelWatchRules& rules) {
    const std::vector<double> nights(2, level);
    for (const auto& duel : trend::list_duels(noise_of(0.05), nights, 1, rules)) {
        if (duel.rival == Rival::own_noise) return duel.needed;
    }
    return 0;
}

}  // namespace

TEST_CASE("Two nights may differ by what noise does, and not by more", "[bisect][trend]") {
    const Background before = noise_of(0.01);
    const auto meets = [&](double apart, const LevelWatchRules& rules) {
        const std::vector<double> nights{0.15 + apart / 2, 0.15 - apart / 2};
        return trend::contest(before, nights, 1, rules).rival;
    };
    CHECK(meets(0.028, {}) != Rival::disagreement);
    CHECK(meets(0.032, {}) == Rival::disagreement);
    LevelWatchRules strict;
    strict.two_apart = 2;
    CHECK(meets(0.028, strict) == Rival::disagreement);
}

TEST_CASE("The further off two nights are, the more they need above a bound", "[bisect][trend]") {
    const LevelWatchRules rules;
    CHECK(needed_of_two(0.3, rules) == rules.own_noise_two);
    CHECK(needed_of_two(0.4, rules) == rules.own_noise_two);
    CHECK(needed_of_two(0.9, rules) == Approx(rules.own_noise_two + 0.5 * rules.large_step_price));
    const std::vector<double> three(3, 0.9);
    for (const auto& duel : trend::list_duels(noise_of(0.05), three, 1, rules)) {
        if (duel.rival == Rival::own_noise) CHECK(duel.needed == rules.own_noise);
    }
}
