#include "service/api/findings/standing.hpp"

#include <catch2/catch.hpp>

using namespace vigil::service;

TEST_CASE("Left is what may hold the change of some series", "[service][api]") {
    const auto left = commits_left({{0.97, 0.01, 0.01, 0.01}, {0.01, 0.01, 0.49, 0.49}}, 4);
    CHECK(left.first == 1);
    CHECK(left.last == 4);
    CHECK(left.count == 3);
    CHECK(commits_left({}, 24).count == 24);
    CHECK(commits_left({}, 0).count == 0);
}

TEST_CASE("A search halves what is left, and then verifies", "[service][api]") {
    CHECK(probes_left(1, false, 0) == 1);
    CHECK(probes_left(2, false, 0) == 2);
    CHECK(probes_left(24, false, 1) == 6);
    CHECK(probes_left(24, true, 0) == 1);
    CHECK(probes_left(1, true, 3) == 3);
}

TEST_CASE("The pace so far says about when a search ends", "[service][api]") {
    CHECK_FALSE(expected_end_s(100, 0, 0, 5, 200));
    CHECK(expected_end_s(100, 400, 3, 2, 450) == 600);
    CHECK(expected_end_s(100, 400, 3, 2, 900) == 900);  // never in the past
}
