#include "bisect/trend/past.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <catch2/catch.hpp>

#include "bisect/trend/level_watch.hpp"
#include "bisect/trend/segments.hpp"

using namespace vigil;
using trend::find_past_changes;

namespace {

std::vector<double> past_levels(
    const std::vector<double>& means, std::size_t each, double noise, unsigned seed = 1) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, noise);
    std::vector<double> values;
    for (const double mean : means) {
        for (std::size_t i = 0; i < each; ++i) values.push_back(mean * (1 + normal(random)));
    }
    return values;
}

}  // namespace

TEST_CASE("Changes of a history are told with place, size and interval", "[bisect][trend]") {
    int held = 0;
    int in_range = 0;
    for (unsigned seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        auto values = past_levels({100, 104}, 40, 0.01, seed);
        values.insert(values.begin() + 10, 3, std::nan(""));
        const auto changes = find_past_changes(values, Direction::lower_is_better);
        REQUIRE(changes.size() == 1);
        const auto& change = changes.front();
        CHECK(change.worse);
        CHECK(change.certain);
        CHECK(change.earliest <= change.first);
        CHECK(change.first <= change.latest);
        CHECK(change.latest <= change.earliest + 8);
        CHECK(change.before == Approx(100).margin(1));
        CHECK(change.after == Approx(104).margin(1));
        held += change.low < 0.04 && 0.04 < change.high ? 1 : 0;
        in_range += change.earliest <= 43 && 43 <= change.latest ? 1 : 0;
    }
    CHECK(held >= 15);
    CHECK(in_range >= 17);
}

TEST_CASE("More of what is better when higher is no worsening", "[bisect][trend]") {
    const auto values = past_levels({100, 110, 90}, 30, 0.01);
    const auto changes = find_past_changes(values, Direction::higher_is_better);
    REQUIRE(changes.size() == 2);
    CHECK_FALSE(changes[0].worse);
    CHECK(changes[0].change_ratio < 0);
    CHECK(changes[1].worse);
    CHECK(changes[1].change_ratio == Approx(110.0 / 90 - 1).margin(0.02));
    CHECK(changes[1].before == Approx(110).margin(1));
}

TEST_CASE("Noise alone is never a certain change", "[bisect][trend]") {
    int certain = 0;
    for (unsigned seed = 1; seed <= 300; ++seed) {
        const auto values = past_levels({100}, 120, seed % 3 == 0 ? 0.05 : 0.01, seed);
        for (const auto& change : find_past_changes(values, Direction::lower_is_better)) {
            certain += change.certain ? 1 : 0;
        }
    }
    CHECK(certain == 0);
}

TEST_CASE("Values that walk hardly ever have a certain change", "[bisect][trend]") {
    int walks = 0;
    for (unsigned seed = 1; seed <= 200; ++seed) {
        std::vector<double> walk{100};
        std::mt19937 random(seed);
        std::normal_distribution<double> step(0, 0.02);
        while (walk.size() < 200) walk.push_back(walk.back() * (1 + step(random)));
        const auto changes = find_past_changes(walk, Direction::lower_is_better);
        walks +=
            std::any_of(changes.begin(), changes.end(), [](const auto& c) { return c.certain; });
    }
    CHECK(walks <= 16);  // one in twelve
}

TEST_CASE("Zeros and negative values have changes too", "[bisect][trend]") {
    const auto values = past_levels({-100, -80}, 30, 0.01);
    const auto changes = find_past_changes(values, Direction::lower_is_better);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].worse);
    CHECK(changes[0].before == Approx(-100).margin(1));
    CHECK(changes[0].change_ratio == Approx(0.2).margin(0.02));
    CHECK(find_past_changes({}, Direction::lower_is_better).empty());
    CHECK(find_past_changes(std::vector<double>(50, 0.0), Direction::lower_is_better).empty());
}

TEST_CASE("A suspicion says since when", "[bisect][trend]") {
    auto values = past_levels({100}, 60, 0.01);
    values[58] *= 1.12;
    values[59] *= 1.12;
    trend::LevelWatch watch(Direction::lower_is_better);
    trend::NightFinding finding;
    for (const double value : values) {
        finding = watch.append(value);
        if (watch.nights() == 40) CHECK_FALSE(finding.since);
    }
    REQUIRE(finding.since);
    CHECK(finding.suspicion > 4);
    CHECK(finding.since->first == 58);
    CHECK(finding.since->earliest <= 58);
    CHECK(finding.since->latest >= 58);
}

TEST_CASE(
    "The quick look never hides a certain change, and mostly spares the search",
    "[bisect][trend]") {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(0, 1);
    int certain = 0;
    for (unsigned seed = 1; seed <= 600; ++seed) {
        CAPTURE(seed);
        const double noise = 0.002 * std::exp(3 * uniform(random));
        const double step = 1 + (uniform(random) < 0.5 ? -1 : 1) * 8 * noise * uniform(random);
        const auto each = static_cast<std::size_t>(5 + 50 * uniform(random));
        auto values = past_levels({100, 100 * step, 100}, each, noise, seed);
        if (seed % 2 == 0) values.resize(2 * each);
        if (seed % 5 == 0) values[values.size() / 3] *= 2;
        if (seed % 7 == 0) {
            for (double& value : values) value = std::round(value * 2) / 2;
        }
        bool found = false;
        for (const auto& change : find_past_changes(values, Direction::lower_is_better)) {
            found |= change.certain;
        }
        certain += found ? 1 : 0;
        if (found) CHECK(trend::may_have_levels(values));
    }
    CHECK(certain > 100);
    int looks = 0;
    for (unsigned seed = 1; seed <= 300; ++seed) {
        looks += trend::may_have_levels(past_levels({100}, 120, 0.02, seed)) ? 1 : 0;
    }
    CHECK(looks < 150);
    CHECK_FALSE(trend::may_have_levels({}));
    CHECK_FALSE(trend::may_have_levels(std::vector<double>(9, 1.0)));
    CHECK_FALSE(trend::may_have_levels(std::vector<double>(200, 42.0)));
}
