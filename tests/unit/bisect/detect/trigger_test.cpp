#include "bisect/detect/trigger.hpp"

#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

using namespace vigil::detect;

namespace {

/// Quiet nights at 0 with runs a little apart, then tonight.
std::vector<SeriesNight> quiet_then(double tonight, int before = 28) {
    std::vector<SeriesNight> nights;
    for (int i = 0; i < before; ++i) {
        const double wobble = 0.001 * (i % 5 - 2);
        nights.push_back({{wobble - 0.002, wobble, wobble + 0.002}});
    }
    nights.push_back({{tonight - 0.002, tonight, tonight + 0.002}});
    return nights;
}

}  // namespace

TEST_CASE("A quiet series is suspected well below the threshold", "[bisect][detect]") {
    const auto up = judge_trigger(quiet_then(0.05), {}, {});
    CHECK(up.suspicious);
    CHECK(up.moved == Approx(0.05).margin(0.001));
    CHECK(up.bar == Approx(0.56 * std::log(1.07)));
    CHECK_FALSE(judge_trigger(quiet_then(0.035), {}, {}).suspicious);
    CHECK_FALSE(judge_trigger(quiet_then(-0.2), {}, {}).suspicious);
}

TEST_CASE("A short history asks for a little more", "[bisect][detect]") {
    CHECK(judge_trigger(quiet_then(0.05, 5), {}, {}).bar == Approx(0.7 * std::log(1.07)));
    CHECK(judge_trigger(quiet_then(0.08, 1), {}, {}).suspicious);
}

TEST_CASE("What the series reaches by itself is no news", "[bisect][detect]") {
    auto nights = quiet_then(0.05);
    for (const std::size_t night : {5u, 9u, 14u, 20u}) {
        for (double& run : nights[night].runs) run += 0.06;
    }
    CHECK_FALSE(judge_trigger(nights, {}, {}).suspicious);
    for (double& run : nights.back().runs) run += 0.05;
    CHECK(judge_trigger(nights, {}, {}).suspicious);
}

TEST_CASE("What the last session explained is not asked about again", "[bisect][detect]") {
    auto nights = quiet_then(0.05);
    for (double& run : nights[27].runs) run += 0.05;
    const LastSession drift{.night = 27, .change = 0.048};
    CHECK_FALSE(judge_trigger(nights, drift, {}).suspicious);
    const LastSession machine{.night = 27, .moved = 0.05, .environment = true};
    CHECK_FALSE(judge_trigger(nights, machine, {}).suspicious);
    const LastSession long_ago{.night = 15, .change = 0.048};
    CHECK(judge_trigger(nights, long_ago, {}).suspicious);
    for (double& run : nights.back().runs) run += 0.07;
    CHECK(judge_trigger(nights, drift, {}).suspicious);
}

TEST_CASE("The old builds are recent nights at the usual level", "[bisect][detect]") {
    auto nights = quiet_then(0.1);
    nights[26].good = false;
    for (double& run : nights[25].runs) run += 0.05;
    const auto chosen = judge_trigger(nights, {}, {}).old_nights;
    CHECK(chosen == std::vector<std::size_t>{27, 24, 23});

    for (std::size_t i = 0; i < 28; ++i) {
        for (double& run : nights[i].runs) run += 0.025 * (static_cast<double>(i % 3) - 1);
    }
    // Where nights vary, a step may have hidden for some.
    CHECK(judge_trigger(nights, {}, {}).old_nights.front() <= 24);
}

TEST_CASE("A step below a high bar is seen by two nights together", "[bisect][detect]") {
    auto nights = quiet_then(0.058);
    for (std::size_t i = 0; i < 28; ++i) {
        for (double& run : nights[i].runs) run += i % 7 == 3 ? 0.06 : 0;
    }
    REQUIRE(judge_trigger(nights, {}, {}).bar > 0.058);
    CHECK_FALSE(judge_trigger(nights, {}, {}).suspicious);
    nights[27].runs = {0.055, 0.056, 0.057};
    CHECK(judge_trigger(nights, {}, {}).suspicious);
    // What was asked last night is not asked again for it.
    CHECK_FALSE(judge_trigger(nights, LastSession{.night = 27}, {}).suspicious);
    TriggerRules alone;
    alone.two_nights = 9;
    CHECK_FALSE(judge_trigger(nights, {}, alone).suspicious);
}
