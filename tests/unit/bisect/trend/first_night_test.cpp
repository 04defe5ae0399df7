#include "bisect/trend/first_night.hpp"

#include <vector>

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::trend;

TEST_CASE("Nights that nobody measured show on the next one that was", "[bisect][trend]") {
    const std::vector<NightlyId> nights{NightlyId{4}, NightlyId{5}, NightlyId{6}, NightlyId{7}};
    FirstNight known;
    known.measured = {NightlyId{3}, NightlyId{5}, NightlyId{6}, NightlyId{7}};
    known.since = NightlyId{5};
    known.earliest = NightlyId{5};
    known.latest = NightlyId{6};
    const auto weights = weigh_nights(nights, known);
    REQUIRE(weights.size() == 4);
    CHECK(weights[0] == weights[1]);
    CHECK(weights[1] > weights[2]);
    CHECK(weights[2] > weights[3]);
    CHECK(weights[3] > 0);
}

TEST_CASE("Nights after the last value say nothing of their own", "[bisect][trend]") {
    FirstNight known;
    known.measured = {NightlyId{3}};
    known.since = known.earliest = known.latest = NightlyId{3};
    const auto weights = weigh_nights({NightlyId{3}, NightlyId{4}, NightlyId{5}}, known);
    REQUIRE(weights.size() == 3);
    CHECK(weights[0] == 1);
    CHECK(weights[1] < 0.1);
    CHECK(weights[1] == weights[2]);
}
