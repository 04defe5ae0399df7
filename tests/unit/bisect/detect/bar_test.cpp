#include "bisect/detect/bar.hpp"

#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include <catch2/catch.hpp>

using namespace vigil::detect;

namespace {

/// Quiet nights at 0 with runs a little apart, then tonight.
std::vector<SeriesNight> quiet_then(double tonight, int before = 28) {
    std::vector<SeriesNight> nights;
    const auto add = [&](double level) {
        const auto id = static_cast<std::int64_t>(nights.size());
        const std::vector<double> runs{level - 0.002, level, level + 0.002};
        nights.push_back({.id = id, .level = level, .middle = level, .scatter = scatter_of(runs)});
    };
    for (int i = 0; i < before; ++i) add(0.001 * (i % 5 - 2));
    add(tonight);
    return nights;
}

BarCheck judge(
    const std::vector<SeriesNight>& nights,
    const std::optional<LastSession>& last = {},
    const BarRules& rules = {}) {
    const auto earlier = std::span(nights).first(nights.size() - 1);
    return check_bar(nights, run_noise_of(earlier), last, rules);
}

std::vector<std::int64_t> old_nights(const std::vector<SeriesNight>& nights) {
    return choose_old_nights(nights, judge(nights), 0.07);
}

}  // namespace

TEST_CASE("A quiet series is suspected well below the threshold", "[bisect][detect]") {
    const auto up = judge(quiet_then(0.05));
    CHECK(up.suspicious);
    CHECK(up.moved == Approx(0.05).margin(0.001));
    CHECK(up.bar == Approx(0.56 * std::log(1.07)));
    CHECK_FALSE(judge(quiet_then(0.035)).suspicious);
    CHECK_FALSE(judge(quiet_then(-0.2)).suspicious);
}

TEST_CASE("A short history asks for a little more", "[bisect][detect]") {
    CHECK(judge(quiet_then(0.05, 5)).bar == Approx(0.7 * std::log(1.07)));
    CHECK(judge(quiet_then(0.08, 1)).suspicious);
}

TEST_CASE("What the series reaches by itself is no news", "[bisect][detect]") {
    auto nights = quiet_then(0.05);
    for (const std::size_t night : {5u, 9u, 14u, 20u}) {
        nights[night].level += 0.06;
    }
    CHECK_FALSE(judge(nights).suspicious);
    nights.back().level += 0.05;
    CHECK(judge(nights).suspicious);
}

TEST_CASE("What the last session explained is not asked about again", "[bisect][detect]") {
    auto nights = quiet_then(0.05);
    nights[27].level += 0.05;
    const LastSession drift{.night = 27, .change = 0.048};
    CHECK_FALSE(judge(nights, drift).suspicious);
    const LastSession machine{.night = 27, .moved = 0.05, .environment = true};
    CHECK_FALSE(judge(nights, machine).suspicious);
    const LastSession long_ago{.night = 15, .change = 0.048};
    CHECK(judge(nights, long_ago).suspicious);
    nights.back().level += 0.07;
    CHECK(judge(nights, drift).suspicious);
}

TEST_CASE("A reason names what was expected only where it is not zero", "[bisect][detect]") {
    BarCheck check;
    check.moved = std::log(1.05);
    check.bar = std::log(1.04);
    CHECK(reason_of(check) == "+5.00 % against the usual level; suspicious above +4.00 %");
    check.expected = std::log(1.01);
    CHECK(
        reason_of(check) ==
        "+5.00 % against the usual level, of which +1.00 % was expected; "
        "suspicious above +4.00 %");
}

TEST_CASE("The old builds are recent nights at the usual level", "[bisect][detect]") {
    auto nights = quiet_then(0.1);
    nights[26].good = false;
    nights[25].level += 0.05;
    const auto chosen = old_nights(nights);
    CHECK(chosen == std::vector<std::int64_t>{27, 24, 23});

    for (std::size_t i = 0; i < 28; ++i) {
        nights[i].level += 0.025 * (static_cast<double>(i % 3) - 1);
    }
    // Where nights vary, a step may have hidden for some.
    CHECK(old_nights(nights).front() <= 24);
}

TEST_CASE("What earlier levels taught of the noise counts for a young level", "[bisect][detect]") {
    auto nights = quiet_then(0.05);
    for (std::size_t i = 0; i < nights.size(); ++i) {
        nights[i].level += 0.04 * (static_cast<double>(i % 3) - 1);
    }
    nights[28].level = 1.05;
    for (const std::size_t young : {26u, 27u, 28u}) {
        nights[young].era = 1;
        nights[young].level += young == 28 ? 0 : 1;
    }
    const auto bar_check = judge(nights);
    CHECK(bar_check.noise.night > 0.03);
    CHECK(bar_check.bar > 0.03);
    CHECK(std::abs(bar_check.moved) < 0.1);
}

TEST_CASE("A step below a high bar is seen by two nights together", "[bisect][detect]") {
    auto nights = quiet_then(0.058);
    for (std::size_t i = 0; i < 28; ++i) {
        nights[i].level += i % 7 == 3 ? 0.06 : 0;
    }
    REQUIRE(judge(nights).bar > 0.058);
    CHECK_FALSE(judge(nights).suspicious);
    nights[27].level = 0.056;
    CHECK(judge(nights).suspicious);
    // What was asked last night is not asked again for it.
    CHECK_FALSE(judge(nights, LastSession{.night = 27}).suspicious);
    BarRules alone;
    alone.two_nights = 9;
    CHECK_FALSE(judge(nights, {}, alone).suspicious);
}
