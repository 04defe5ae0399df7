#include "service/chart/axis.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

using namespace vigil::chart;

TEST_CASE("A step is 1, 2 or 5 times a power of ten of its unit", "[service][chart]") {
    CHECK(round_step(1) == 1);
    CHECK(round_step(1.1) == 2);
    CHECK(round_step(0.03) == Approx(0.05));
    CHECK(round_step(6) == 10);
    CHECK(round_step(3000, 1024) == 5 * 1024);
}

TEST_CASE("A range leaves out what is not finite and does not overflow", "[service][chart]") {
    ValueRange range;
    CHECK(range.empty());
    range.add(std::nan(""));
    range.add(INFINITY);
    CHECK(range.empty());
    range.add(3);
    CHECK(range.share_of(3) == 0.5);
    range.add(5);
    CHECK(range.share_of(4.5) == 0.75);
    constexpr double most = std::numeric_limits<double>::max();
    CHECK(ValueRange{-most, most}.share_of(0) == 0.5);
}

TEST_CASE("An axis holds its values between whole steps", "[service][chart]") {
    auto axis = axis_of_steps(1.2, 4.1, 1, 100);
    CHECK(axis.ticks() == std::vector<double>{5, 4, 3, 2, 1});
    CHECK(axis.place_of(5) == 0);
    CHECK(axis.place_of(1) == 100);
    axis = {1, 100, 10, 100, AxisScale::log};
    CHECK(axis.place_of(10) == Approx(50));
    CHECK(axis.ticks().back() == 1);
    CHECK(axis.ticks().front() == Approx(100));
}
