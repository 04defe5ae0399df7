#include "bisect/detect/night.hpp"

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"

using namespace vigil;
using namespace vigil::detect;

namespace {

NightJudgement judge(
    const std::vector<double>& history,
    const std::vector<double>& tonight,
    Direction direction = Direction::lower_is_better) {
    return judge_night({history, tonight, direction, 0.07});
}

}  // namespace

TEST_CASE("With nothing to compare with, a night is unknown", "[bisect][detect]") {
    const auto j = judge({}, {100, 101, 99});
    CHECK(j.finding == Finding::unknown);
    CHECK(j.value == 100);
}

TEST_CASE("With one earlier night the change ratio alone speaks", "[bisect][detect]") {
    CHECK(judge({100}, {107.5}).finding == Finding::worse);
    CHECK(judge({100}, {107}).finding == Finding::same);
    CHECK(judge({100}, {106}).finding == Finding::same);
    CHECK(judge({100}, {90}).finding == Finding::better);
    CHECK(judge({100}, {107.5}).change_ratio == Approx(0.075));
}

TEST_CASE("Higher is better turns the question round", "[bisect][detect]") {
    CHECK(judge({100}, {92}, Direction::higher_is_better).finding == Finding::worse);
    CHECK(judge({100}, {92}, Direction::higher_is_better).change_ratio == Approx(100. / 92 - 1));
    CHECK(judge({100}, {110}, Direction::higher_is_better).finding == Finding::better);
}

TEST_CASE("The rolling baseline forgets nights older than fourteen", "[bisect][detect]") {
    std::vector<double> history(20, 50.0);
    history.insert(history.end(), 14, 100.0);
    const auto j = judge(history, {101});
    CHECK(j.base == 100);
    CHECK(j.finding == Finding::same);
}

TEST_CASE(
    "A quiet series is suspected below the threshold, but never far below", "[bisect][detect]") {
    const std::vector<double> quiet(10, 100.0);
    CHECK(judge(quiet, {105.5}).finding == Finding::worse);
    CHECK(judge(quiet, {104.0}).finding == Finding::same);
}

TEST_CASE("Noise within a night or between nights raises the bar", "[bisect][detect]") {
    CHECK(judge({98, 102, 100, 97, 103, 99, 101}, {105.5}).finding == Finding::same);
    CHECK(judge({100, 100, 100, 100, 100}, {98, 105.5, 113}).finding == Finding::same);
    CHECK(judge({98, 102, 100, 97, 103, 99, 101}, {108}).finding == Finding::worse);
}

TEST_CASE("Two nights together are worse where neither is", "[bisect][detect]") {
    const std::vector<double> history{100, 100, 100, 100, 100, 100, 100, 104};
    const std::vector<double> tonight{104.5};
    NightInput input{history, tonight};
    CHECK(judge_night(input).finding == Finding::same);
    input.explained = 0;
    const auto both = judge_night(input);
    CHECK(both.finding == Finding::worse);
    CHECK(both.by_two);
    CHECK(both.reason.find("with last night's +4.00 %") != std::string::npos);
    input.explained = 0.03;  // a session has just told as much
    CHECK(judge_night(input).finding == Finding::same);
    const std::vector<double> calm(8, 100);
    const NightInput alone{.history = calm, .tonight = tonight, .explained = 0};
    CHECK(judge_night(alone).finding == Finding::same);
    const std::vector<double> few{100, 104};
    const NightInput young{.history = few, .tonight = tonight, .explained = 0};
    CHECK(judge_night(young).finding == Finding::same);
    const std::vector<double> high{107};
    const NightInput over{.history = history, .tonight = high, .explained = 0};
    CHECK_FALSE(judge_night(over).by_two);
}

TEST_CASE("Noise of three percent rarely opens a suspicion, a real step does", "[bisect][detect]") {
    const unsigned seed = 20240501;
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::normal_distribution<double> noise(0, 0.03);
    const auto night = [&](double level) {
        return std::vector<double>{
            level * std::exp(noise(random)),
            level * std::exp(noise(random)),
            level * std::exp(noise(random))};
    };
    int suspicions = 0;
    int caught = 0;
    constexpr int nights = 2000;
    std::vector<double> history;
    for (int i = 0; i < nights; ++i) {
        const auto j = judge(history, night(100));
        history.push_back(j.value);
        if (i < 4) continue;
        suspicions += j.finding == Finding::worse;
        caught += judge(history, night(112)).finding == Finding::worse;
    }
    CHECK(suspicions < nights * 2 / 100);
    CHECK(caught > nights * 95 / 100);
}

TEST_CASE("Values that are not above 0 are refused by name", "[bisect][detect]") {
    const std::vector<double> one{100};
    CHECK_THROWS_AS(judge({100}, {}), Error);
    CHECK_THROWS_AS(judge({100, 0}, {100}), Error);
    CHECK_THROWS_AS(judge({100}, {NAN}), Error);
    CHECK_THROWS_AS(judge_night({.history = {}, .tonight = one, .threshold = -1}), Error);
}
