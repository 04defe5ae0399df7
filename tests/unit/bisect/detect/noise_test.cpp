#include "bisect/detect/noise.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "bisect/detect/rules.hpp"

using namespace vigil;
using namespace vigil::detect;

namespace {

using Nights = std::vector<std::vector<double>>;

template <class Draw>
Nights nights_of(int count, int runs, Draw draw) {
    Nights nights(static_cast<std::size_t>(count));
    for (auto& night : nights) {
        for (int i = 0; i < runs; ++i) night.push_back(draw());
    }
    return nights;
}

RunNoise learned(const Nights& nights) {
    std::vector<RunScatter> scatter;
    for (const auto& runs : nights) scatter.push_back(scatter_of(runs));
    return learn_run_noise(scatter);
}

}  // namespace

TEST_CASE("Up is worse, whichever direction is better", "[bisect][detect]") {
    CHECK(badness(std::exp(1.0), Direction::lower_is_better) == Approx(1));
    CHECK(badness(std::exp(1.0), Direction::higher_is_better) == Approx(-1));
}

TEST_CASE("Too few nights teach nothing about single runs", "[bisect][detect]") {
    CHECK(learned(Nights{}).spread == 0);
    CHECK(learned(Nights{{1.0}, {1.1}, {1.0}, {1.2}}).spread == 0);
    CHECK(learned(Nights{{1, 2, 3}, {1, 2, 3}}).spread == 0);
}

TEST_CASE("Gaussian runs are learned without bias and without skew", "[bisect][detect]") {
    const unsigned seed = 21;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(0, 0.02);
    double spread = 0, skew = 0;
    for (int i = 0; i < 200; ++i) {
        const auto noise = learned(nights_of(28, 3, [&] { return normal(random); }));
        spread += noise.spread / 200;
        skew += noise.skew / 200;
    }
    CHECK(spread == Approx(0.02).epsilon(0.06));
    CHECK(skew == Approx(1).margin(0.12));
}

TEST_CASE(
    "A tail to the slow side is learned, and a few spikes are not taken for one",
    "[bisect][detect]") {
    const unsigned seed = 22;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(0, 1);
    const auto lognormal = nights_of(28, 3, [&] { return 0.05 * std::exp(0.8 * normal(random)); });
    CHECK(learned(lognormal).skew > 1.3);
    auto mirrored = lognormal;
    for (auto& night : mirrored) {
        for (double& run : night) run = -run;
    }
    CHECK(learned(mirrored).skew < 1 / 1.3);
    auto spiked = nights_of(28, 3, [&] { return 0.01 * normal(random); });
    spiked[3][1] = 0.7;
    CHECK(learned(spiked).skew < 1.3);
    CHECK(learned(spiked).spread < 0.02);
}

TEST_CASE(
    "The level of a night ignores one outlier and trusts the tight side", "[bisect][detect]") {
    const std::vector<double> outlier{0.0, 0.01, 0.5};
    CHECK(level_of(outlier, {.spread = 0.01}) == Approx(0.005).margin(0.002));
    const std::vector<double> two_modes{0.0, 0.002, 0.06};
    const RunNoise skewed{.spread = 0.03, .skew = 1.8};
    CHECK(level_of(two_modes, skewed) < level_of(two_modes, {.spread = 0.03}));
    CHECK(level_of(std::vector{0.25}, skewed) == Approx(0.25));
    CHECK(level_of(two_modes, {}) == Approx(0.002));
}

TEST_CASE("Nights that resemble the night before have a memory", "[bisect][detect]") {
    const unsigned seed = 23;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(0, 0.03);
    double white = 0, sticky = 0;
    for (int i = 0; i < 100; ++i) {
        std::vector<double> independent, drifting;
        double state = 0;
        for (int night = 0; night < 28; ++night) {
            independent.push_back(normal(random));
            state = 0.8 * state + 0.6 * normal(random);
            drifting.push_back(state);
        }
        white += learn_series_noise(independent, {.spread = 0.01}).memory / 100;
        sticky += learn_series_noise(drifting, {.spread = 0.01}).memory / 100;
    }
    CHECK(white < 0.12);
    CHECK(sticky > 0.45);
    const std::vector<double> constant(20, 1.0);
    CHECK(learn_series_noise(constant, {}).night == rule.least_spread);
    CHECK(learn_series_noise(constant, {}).memory == 0);
}
