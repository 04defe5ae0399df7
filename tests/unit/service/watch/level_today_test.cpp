#include "service/watch/recover/level_today.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;

namespace {

Comparison of_runs(double ratio, double half) {
    Comparison comparison;
    comparison.before = 100;
    comparison.after = 100 * (1 + ratio);
    comparison.change_ratio = ratio;
    comparison.low = ratio - half;
    comparison.high = ratio + half;
    comparison.runs_before = comparison.runs_after = 32;
    return comparison;
}

LaterAnswer later_answer(
    int nightly, int good, Verdict verdict, double ratio, double half = 0.015) {
    return {
        NightlyId{nightly},
        "night " + std::to_string(nightly),
        NightlyId{good},
        verdict,
        of_runs(ratio, half),
        {},
        {}};
}

constexpr NightlyId found_night{20};
const Comparison filed = of_runs(0.839, 0.03);

}  // namespace

TEST_CASE("A night held against a build from before says where the level is", "[service][watch]") {
    const std::vector<LaterAnswer> later{
        later_answer(21, 19, Verdict::regression, 0.84),
        later_answer(25, 19, Verdict::watch, 0.066)};
    const auto today = level_today(filed, found_night, later);
    REQUIRE(today);
    CHECK(today->nightly.value == 25);
    CHECK(today->night == "night 25");
    CHECK(today->level.change_ratio == 0.066);
    CHECK(today->level.low == Approx(0.051));
}

TEST_CASE("A change against a later night is told against the level before", "[service][watch]") {
    const std::vector<LaterAnswer> later{later_answer(25, 22, Verdict::improvement, -0.2)};
    const auto today = level_today(filed, found_night, later);
    REQUIRE(today);
    CHECK(today->level.change_ratio == Approx(1.839 * 0.8 - 1));
    CHECK(today->level.high - today->level.low > 0.03);
}

TEST_CASE("Changes follow each other, each after the level of its own night", "[service][watch]") {
    const std::vector<LaterAnswer> later{
        later_answer(25, 22, Verdict::improvement, -0.2),
        later_answer(30, 26, Verdict::regression, 0.1),
        later_answer(31, 21, Verdict::drift, 0.02)};  // against a night at the filed level
    const auto today = level_today(filed, found_night, later);
    REQUIRE(today);
    CHECK(today->level.change_ratio == Approx(1.839 * 1.02 - 1));
    const auto before = level_today(filed, found_night, std::span(later).first(2));
    CHECK(before->level.change_ratio == Approx(1.839 * 0.8 * 1.1 - 1));
}

TEST_CASE("Noise against a later night moves nothing", "[service][watch]") {
    const std::vector<LaterAnswer> later{
        later_answer(24, 22, Verdict::noise, 0.03), later_answer(25, 22, Verdict::watch, -0.05)};
    CHECK(!level_today(filed, found_night, later));
    CHECK(!level_today(filed, found_night, {}));
}

TEST_CASE(
    "Of a regression without a size only a build from before can say it", "[service][watch]") {
    const std::vector<LaterAnswer> later{later_answer(25, 22, Verdict::improvement, -0.2)};
    CHECK(!level_today(Comparison{}, found_night, later));
    const std::vector<LaterAnswer> direct{later_answer(25, 19, Verdict::watch, 0.066)};
    CHECK(level_today(Comparison{}, found_night, direct));
}
