#include "bisect/trend/rivals.hpp"

#include <random>
#include <vector>

#include <catch2/catch.hpp>

using namespace vigil;
using trend::Background;
using trend::LevelWatchRules;
using trend::Rival;

namespace {

/// Sixty nights of Gaussian noise at level 0.
Background noise_of(double spread, double correlation = 0) {
    std::mt19937 random(7);
    std::normal_distribution<double> normal(0, spread);
    Background before;
    before.nights = 60;
    before.spread = spread;
    before.correlation = correlation;
    for (int i = 0; i < 60; ++i) before.residuals.push_back(normal(random));
    return before;
}

}  // namespace

TEST_CASE("The more nights a step has, the less each must say", "[bisect][trend]") {
    const LevelWatchRules rules;
    const std::vector<double> nights(5, 0.15);
    const auto by = [&](std::size_t count) {
        return trend::contest(noise_of(0.01), std::span(nights).first(count), 1, rules);
    };
    CHECK(by(2).needed == rules.own_noise_of_two);
    CHECK(by(5).needed == Approx(by(3).needed - 1));
    CHECK(by(3).evidence > by(2).evidence);
    CHECK(by(3).margin() > 0);
    CHECK(by(3).step == Approx(0.15).margin(0.01));
}

TEST_CASE("A step within the noise, or a small one, is none", "[bisect][trend]") {
    const auto rival = [](double spread, double step) {
        const std::vector<double> nights(3, step);
        return trend::contest(noise_of(spread), nights, 1, {}).rival;
    };
    CHECK(rival(0.01, 0.1) == Rival::own_noise);
    CHECK(rival(0.01, 0.04) == Rival::too_small);
    CHECK(rival(0.1, 0.1) == Rival::too_small);
    CHECK(rival(0.01, -0.1) == Rival::too_small);
}

TEST_CASE("Nights that resemble each other say less", "[bisect][trend]") {
    const std::vector<double> nights(3, 0.1);
    const auto alone = trend::contest(noise_of(0.02), nights, 1, {});
    const auto alike = trend::contest(noise_of(0.02, 0.6), nights, 1, {});
    CHECK(alike.evidence == Approx(alone.evidence / 2));
}
