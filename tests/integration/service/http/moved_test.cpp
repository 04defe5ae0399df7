// What counts as moved, and what two nights tell.

#include <catch2/catch.hpp>

#include "service/api/results/compare.hpp"
#include "service/api/results/trends.hpp"
#include "tests/integration/service/http/measured.hpp"

using namespace vigil;
using namespace vigil::service;
using namespace vigil::service::testing;

TEST_CASE("What has moved is a level, or else the newest night", "[service][api]") {
    const auto by = Direction::lower_is_better;
    CHECK_FALSE(moved_within(std::vector<double>{1, std::nan("")}, by));
    CHECK_FALSE(moved_within(std::vector<double>{0, 0, 0}, by));
    const auto newest = moved_within(std::vector<double>{10, 10, 10, 10, 12}, by);
    REQUIRE(newest);
    CHECK(newest->change_ratio == Approx(0.2));
    CHECK_FALSE(newest->since);
    const auto level = moved_within(stepped(30, 12, 100, 80), by);
    REQUIRE(level);
    CHECK(level->change_ratio == Approx(-0.2).margin(0.01));
    CHECK(level->since == 12);
    const auto higher = moved_within(stepped(30, 12, 100, 80), Direction::higher_is_better);
    CHECK(higher->change_ratio == Approx(0.25).margin(0.01));
}

TEST_CASE("Too few nights tell no noise", "[service][api]") {
    const std::vector<double> before{100};
    const std::vector<double> after{130};
    const auto by = Direction::lower_is_better;
    CHECK(compare_nights(before, after, before, by).finding == Finding::unknown);
    const auto calm = stepped(30, 30, 100, 100);
    CHECK(compare_nights(before, after, calm, by).finding == Finding::worse);
    CHECK(compare_nights(after, before, calm, by).finding == Finding::better);
    CHECK(compare_nights(before, before, calm, by).finding == Finding::same);
    // A step within these nights makes the series no noisier.
    CHECK(compare_nights(before, after, stepped(30, 15, 100, 130), by).finding == Finding::worse);
}
