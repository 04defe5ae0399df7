#include "bisect/detect/storm.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "bisect/detect/rules.hpp"
#include "schema/model/error.hpp"

using namespace vigil;
using namespace vigil::detect;

namespace {

/// 200 series of one machine on the night on which it, or the code, moves by so much.
struct Night {
    std::vector<double> moves;
    std::vector<Remeasured> again;
    int suspicious = 0;
};

Night play(std::uint32_t seed, double machine, double code) {
    constexpr int series = 200;
    std::mt19937 random(seed);
    std::normal_distribution<double> gauss(0, 1);
    std::uniform_real_distribution<double> noise_of(0.005, 0.03);
    Night night;
    for (int i = 0; i < series; ++i) {
        const double noise = noise_of(random);
        const double own_share = 1 + 0.2 * gauss(random);  // series feel a machine differently
        const double moved = machine * own_share + code + noise / std::sqrt(3.0) * gauss(random);
        night.moves.push_back(moved);
        if (moved < std::log1p(0.07)) continue;
        ++night.suspicious;
        if (night.again.size() == rule.storm_series) continue;
        const double old = machine * own_share + noise / std::sqrt(2.0) * gauss(random);
        night.again.push_back({moved, old});
    }
    return night;
}

}  // namespace

TEST_CASE("A move of the machine is told from one of the code", "[bisect][detect]") {
    constexpr int worlds = 1000;
    int recognised = 0;
    int blamed = 0;
    for (std::uint32_t seed = 0; seed < worlds; ++seed) {
        const Night machine = play(seed, std::log(1.09), 0);
        REQUIRE(looks_like_storm(machine.moves, machine.suspicious));
        recognised += judge_storm(machine.again).cause == StormCause::environment;
        const Night code = play(seed + worlds, 0, std::log(1.09));
        REQUIRE(looks_like_storm(code.moves, code.suspicious));
        blamed += judge_storm(code.again).cause == StormCause::environment;
    }
    CHECK(recognised >= 998);
    CHECK(blamed == 0);
}

TEST_CASE("A quiet night and a few regressions are no storm", "[bisect][detect]") {
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        const Night quiet = play(seed, 0, 0);
        CHECK_FALSE(looks_like_storm(quiet.moves, quiet.suspicious));
    }
    std::vector<double> moves(100, 0.0);
    CHECK_FALSE(looks_like_storm(moves, 14));
    CHECK(looks_like_storm(moves, 15));
    CHECK_FALSE(looks_like_storm(std::vector<double>(10, 0.0), 7));
    CHECK(looks_like_storm(std::vector<double>(10, 0.0), 8));
}

TEST_CASE("A small move of everything is a storm without a suspicion", "[bisect][detect]") {
    CHECK(looks_like_storm(std::vector<double>(20, 0.025), 0));
    CHECK(looks_like_storm(std::vector<double>(20, -0.025), 0));
    CHECK_FALSE(looks_like_storm(std::vector<double>(19, 0.025), 0));
    CHECK_FALSE(looks_like_storm(std::vector<double>(20, 0.015), 0));
}

TEST_CASE("Half machine and half code is neither", "[bisect][detect]") {
    const std::vector<Remeasured> half{
        {0.1, 0.1}, {0.1, 0.1}, {0.1, 0.1}, {0.1, 0.1}, {0.1, 0}, {0.1, 0}, {0.1, 0}, {0.1, 0}};
    CHECK(judge_storm(half).cause == StormCause::mixed);
    const std::vector<Remeasured> faster{{-0.1, -0.09}, {-0.1, -0.1}, {-0.12, -0.11}};
    const auto judgement = judge_storm(faster);
    CHECK(judgement.cause == StormCause::environment);
    CHECK(judgement.moved == Approx(-0.1));
    CHECK(judgement.reason.find("3 of 3") != std::string::npos);
}

TEST_CASE("A storm without a series is refused", "[bisect][detect]") {
    CHECK_THROWS_AS(judge_storm({}), Error);
    const std::vector<Remeasured> still{{0, 0.1}};
    CHECK_THROWS_AS(judge_storm(still), Error);
}
