#include "bisect/detect/canary.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"

using namespace vigil;
using namespace vigil::detect;

namespace {

std::vector<double> chart_of(std::size_t nights, double noise, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> gauss(0, noise);
    std::vector<double> chart;
    for (std::size_t i = 0; i < nights; ++i) chart.push_back(1e7 * std::exp(gauss(random)));
    return chart;
}

}  // namespace

TEST_CASE("A young chart only learns", "[bisect][detect]") {
    CHECK_FALSE(judge_canary({}, 5).knows);
    const auto four = chart_of(4, 0.01, 1);
    CHECK_FALSE(judge_canary(four, 5e7).knows);
    CHECK_FALSE(judge_canary(four, 5e7).off);
    CHECK(judge_canary(four, 5e7).reason == "night 5 of the 5 that its chart begins with");
}

TEST_CASE("A canary is off when it leaves its own noise, up or down", "[bisect][detect]") {
    const auto chart = chart_of(40, 0.005, 2);
    CHECK_FALSE(judge_canary(chart, 1.015e7).off);
    CHECK(judge_canary(chart, 1.06e7).off);
    CHECK(judge_canary(chart, 0.94e7).off);
    CHECK(judge_canary(chart, 1.06e7).moved == Approx(std::log(1.06)).margin(0.005));
    CHECK_FALSE(judge_canary(chart_of(40, 0.03, 3), 1.06e7).off);
}

TEST_CASE("A chart without noise allows two percent", "[bisect][detect]") {
    const std::vector<double> chart(10, 100.0);
    CHECK_FALSE(judge_canary(chart, 101.9).off);
    CHECK(judge_canary(chart, 102.1).off);
}

TEST_CASE("A machine that ages leaves its reference in the end", "[bisect][detect]") {
    std::vector<double> chart;
    int left = 0;
    for (int night = 0; night < 200 && left == 0; ++night) {
        const double value = 1e7 * std::pow(1.001, night);
        if (judge_canary(chart, value).off) left = night;
        chart.push_back(value);
    }
    CHECK(left > 20);
    CHECK(left < 100);
}

TEST_CASE("One night in thousands is off by chance", "[bisect][detect]") {
    int off = 0, nights = 0;
    for (unsigned seed = 1; seed <= 200; ++seed) {
        const auto chart = chart_of(60, 0.01, seed);
        for (std::size_t n = 5; n < chart.size(); ++n) {
            ++nights;
            off += judge_canary(std::span(chart).first(n), chart[n]).off ? 1 : 0;
        }
    }
    CHECK(nights == 11'000);
    CHECK(off < 60);
}

TEST_CASE("Values that cannot be are refused", "[bisect][detect]") {
    CHECK_THROWS_AS(judge_canary({}, 0), Error);
    CHECK_THROWS_AS(judge_canary({}, std::nan("")), Error);
    const std::vector<double> chart{1, -1, 1, 1, 1, 1};
    CHECK_THROWS_AS(judge_canary(chart, 1), Error);
}
