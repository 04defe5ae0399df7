#include "bisect/trend/level_watch.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <catch2/catch.hpp>

using namespace vigil;
using trend::Change;
using trend::LevelWatch;

namespace {

/// Values around 100; `noise` is a standard deviation in shares.
std::vector<double> quiet(std::size_t nights, double noise, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, noise);
    std::vector<double> values(nights);
    for (double& value : values) value = 100 * (1 + normal(random));
    return values;
}

void raise(std::vector<double>& values, std::size_t from, double factor) {
    for (std::size_t i = from; i < values.size(); ++i) values[i] *= factor;
}

std::vector<Change> changes_of(
    const std::vector<double>& values, Direction direction = Direction::lower_is_better) {
    LevelWatch watch(direction);
    std::vector<Change> changes;
    for (const double value : values) {
        if (const auto change = watch.append(value).change) changes.push_back(*change);
    }
    return changes;
}

}  // namespace

TEST_CASE("A step is raised within two nights, with its first night", "[bisect][trend]") {
    for (unsigned seed = 1; seed <= 10; ++seed) {
        auto values = quiet(100, 0.01, seed);
        raise(values, 60, 1.15);
        const auto changes = changes_of(values);
        CAPTURE(seed);
        REQUIRE(changes.size() == 1);
        const Change& change = changes[0];
        CHECK(change.worse);
        CHECK(change.night >= 61);
        CHECK(change.night <= 62);
        CHECK(change.first == 60);
        CHECK(change.earliest <= 60);
        CHECK(change.latest >= 60);
        CHECK(change.before == Approx(100).margin(1));
        CHECK(change.after == Approx(115).margin(3));
        CHECK(change.low < change.change_ratio);
        CHECK(change.change_ratio < change.high);
        CHECK(change.low > 0.05);
        CHECK(change.margin > 0);
    }
}

TEST_CASE("The night of a large step is suspected at once", "[bisect][trend]") {
    auto values = quiet(61, 0.01, 3);
    values[60] *= 1.2;
    LevelWatch watch(Direction::lower_is_better);
    double quietest = 0;
    for (std::size_t i = 0; i < 60; ++i) {
        quietest = std::max(quietest, watch.append(values[i]).suspicion);
    }
    const auto finding = watch.append(values[60]);
    CHECK(quietest < 2);
    CHECK(finding.suspicion > 4);
    CHECK_FALSE(finding.change);
}

TEST_CASE("A refuted night is part of no later suspicion or change", "[bisect][trend]") {
    auto values = quiet(62, 0.01, 3);
    values[60] *= 1.2;
    values[61] *= 1.2;
    for (const bool refuted : {false, true}) {
        LevelWatch watch(Direction::lower_is_better);
        for (std::size_t i = 0; i < 61; ++i) watch.append(values[i]);
        if (refuted) watch.refute_last_night();
        CHECK(watch.append(values[61]).change.has_value() == !refuted);
    }
}

TEST_CASE("A spike is no change, and neither are noise and a constant series", "[bisect][trend]") {
    auto values = quiet(120, 0.01, 5);
    values[50] *= 2;
    values[80] *= 1.3;
    CHECK(changes_of(values).empty());
    CHECK(changes_of(quiet(500, 0.08, 6)).empty());
    CHECK(changes_of(std::vector<double>(200, 42.0)).empty());
}

TEST_CASE("A drift is not raised before it is one", "[bisect][trend]") {
    auto values = quiet(120, 0.01, 7);
    for (std::size_t i = 60; i < 120; ++i) values[i] *= 1 + 0.01 * static_cast<double>(i - 60);
    const auto changes = changes_of(values);
    REQUIRE_FALSE(changes.empty());
    CHECK(changes.front().night > 62);
    CHECK(changes.front().worse);
}

TEST_CASE("An improvement is a change, never for the worse", "[bisect][trend]") {
    auto values = quiet(100, 0.01, 8);
    raise(values, 60, 0.85);
    const auto lower = changes_of(values, Direction::lower_is_better);
    REQUIRE(lower.size() == 1);
    CHECK_FALSE(lower[0].worse);
    CHECK(lower[0].change_ratio < -0.1);
    const auto higher = changes_of(values, Direction::higher_is_better);
    REQUIRE(higher.size() == 1);
    CHECK(higher[0].worse);
    CHECK(higher[0].change_ratio == Approx(1 / 0.85 - 1).margin(0.03));
}

TEST_CASE("What came back from an improvement is a change for the worse", "[bisect][trend]") {
    auto values = quiet(120, 0.01, 9);
    raise(values, 50, 0.85);
    raise(values, 80, 1 / 0.85);
    const auto changes = changes_of(values);
    REQUIRE(changes.size() == 2);
    CHECK_FALSE(changes[0].worse);
    CHECK(changes[1].worse);
    CHECK(changes[1].first == 80);
}

TEST_CASE("Exact and quantised values step on the second night", "[bisect][trend]") {
    std::vector<double> exact(80, 511'705'088);
    raise(exact, 40, 1.08);
    const auto changes = changes_of(exact);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].night == 41);
    CHECK(changes[0].first == 40);
    std::vector<double> small(80, 511'705'088);
    raise(small, 40, 1.01);
    CHECK(changes_of(small).empty());
    std::vector<double> quantised;
    for (int i = 0; i < 80; ++i) quantised.push_back((i < 50 ? 20 : 24) + (i * 7 % 3 == 0 ? 1 : 0));
    const auto steps = changes_of(quantised);
    REQUIRE(steps.size() == 1);
    CHECK(steps[0].first == 50);
}

TEST_CASE("Nights without a value are passed over", "[bisect][trend]") {
    auto values = quiet(100, 0.01, 10);
    raise(values, 60, 1.15);
    for (const std::size_t i : {5u, 30u, 58u, 61u, 62u}) {
        values[i] = i % 2 == 0 ? std::nan("") : std::numeric_limits<double>::infinity();
    }
    const auto changes = changes_of(values);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].first == 60);
    CHECK(changes[0].night >= 63);
    CHECK(changes_of(std::vector<double>(50, std::nan(""))).empty());
}

TEST_CASE("Zeros and negative values are judged, and never end in no number", "[bisect][trend]") {
    std::vector<double> leak(80, 0.0);
    for (std::size_t i = 40; i < 80; ++i) leak[i] = 4096;
    const auto leaked = changes_of(leak);
    REQUIRE(leaked.size() == 1);
    CHECK(leaked[0].first == 40);
    CHECK(leaked[0].after == 4096);
    CHECK(leaked[0].worse);
    CHECK(std::isinf(leaked[0].change_ratio));  // from 0
    std::vector<double> negative(80, -10.0);
    for (std::size_t i = 40; i < 80; ++i) negative[i] = -5;
    REQUIRE(changes_of(negative).size() == 1);
    CHECK(changes_of(negative)[0].worse);
    auto once = quiet(100, 0.01, 11);
    once[50] = 0;
    once[70] = -3;
    CHECK(changes_of(once).empty());
    std::vector<double> extreme;
    for (int i = 0; i < 100; ++i) extreme.push_back(i % 2 == 0 ? 1e300 : -1e-300);
    for (const auto& change : changes_of(extreme)) CHECK(std::isfinite(change.change_ratio));
}

TEST_CASE("Nothing looks ahead: every prefix raises what the whole raised", "[bisect][trend]") {
    auto values = quiet(150, 0.03, 12);
    raise(values, 60, 1.2);
    raise(values, 100, 0.8);
    raise(values, 130, 1.3);
    const auto whole = changes_of(values);
    REQUIRE(whole.size() >= 3);
    for (std::size_t n = 0; n <= values.size(); ++n) {
        const auto part = changes_of({values.begin(), values.begin() + static_cast<long>(n)});
        std::size_t expected = 0;
        while (expected < whole.size() && whole[expected].night < n) ++expected;
        CAPTURE(n);
        REQUIRE(part.size() == expected);
        for (std::size_t i = 0; i < part.size(); ++i) {
            CHECK(part[i].night == whole[i].night);
            CHECK(part[i].first == whole[i].first);
            CHECK(part[i].margin == whole[i].margin);
        }
    }
}

TEST_CASE("A change of environment starts a level and is no change", "[bisect][trend]") {
    auto values = quiet(120, 0.01, 13);
    raise(values, 60, 1.25);
    raise(values, 90, 1.15);
    LevelWatch watch(Direction::lower_is_better);
    std::vector<Change> changes;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (i == 60) watch.start_level();
        if (const auto change = watch.append(values[i]).change) changes.push_back(*change);
    }
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].first == 90);
    CHECK(watch.nights() == 120);
}

TEST_CASE("What keeps a step waiting is named", "[bisect][trend]") {
    std::vector<double> values = quiet(60, 0.01, 14);
    for (std::size_t i = 0; i < values.size(); i += 4) values[i] *= 1.2;  // a second mode
    LevelWatch watch(Direction::lower_is_better);
    for (const double value : values) watch.append(value);
    watch.append(120);
    const auto last = watch.append(120);
    CHECK_FALSE(last.change);
    CHECK(last.waiting_for != trend::Rival::none);
    CHECK(last.margin <= 0);
    CHECK(last.step == Approx(std::log(1.2)).margin(0.03));
}

TEST_CASE("A few values and a great many are judged alike", "[bisect][trend]") {
    CHECK(changes_of({}).empty());
    CHECK(changes_of({1.0}).empty());
    CHECK(changes_of({1.0, 2.0, 3.0}).empty());
    std::vector<double> values(1'000'000, 100.0);
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] += static_cast<double>(i * 7 % 5) / 10;
    raise(values, 999'000, 1.1);
    const auto changes = changes_of(values);
    REQUIRE(changes.size() == 1);
    CHECK(changes[0].first == 999'000);
}
