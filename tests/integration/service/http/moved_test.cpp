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
    const auto nothing = moved_within(std::vector<double>{0, 0, 0}, by);
    REQUIRE(nothing);
    CHECK(nothing->change_ratio == 0);
    CHECK_FALSE(moved_within(std::vector<double>{0, 0, -1}, by));
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
    CHECK(compare_nights(before, after, before, by, MetricKind::time).finding == Finding::unknown);
    const auto calm = stepped(30, 30, 100, 100);
    CHECK(compare_nights(before, after, calm, by, MetricKind::time).finding == Finding::worse);
    CHECK(compare_nights(after, before, calm, by, MetricKind::time).finding == Finding::better);
    CHECK(compare_nights(before, before, calm, by, MetricKind::time).finding == Finding::same);
    // A step within these nights makes the series no noisier.
    CHECK(
        compare_nights(before, after, stepped(30, 15, 100, 130), by, MetricKind::time).finding ==
        Finding::worse);
}

TEST_CASE("What never varies within a night is compared exactly", "[service][api]") {
    const auto by = Direction::lower_is_better;
    const std::vector<double> night(3, 4096);
    const std::vector<double> larger(3, 4100);
    const auto memory = [&](const auto& before, const auto& after) {
        return compare_nights(before, after, before, by, MetricKind::memory);
    };
    CHECK(memory(night, night).finding == Finding::same);
    CHECK(memory(night, larger).finding == Finding::worse);
    CHECK(memory(larger, night).finding == Finding::better);
    CHECK(memory(night, larger).low == memory(night, larger).change_ratio);
    const std::vector<double> half(2, 12.5);
    CHECK(compare_nights(half, half, half, by, MetricKind::other).finding == Finding::same);
    const std::vector<double> once(1, 4096);
    CHECK(memory(once, night).finding == Finding::unknown);
    CHECK(memory(std::vector<double>{4096, 4097, 4096}, night).finding == Finding::unknown);
    CHECK(compare_nights(night, night, night, by, MetricKind::time).finding == Finding::unknown);
}
