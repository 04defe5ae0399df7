#include "tests/bench/bisect/bound.hpp"

#include <catch2/catch.hpp>

using namespace vigil::bench;

TEST_CASE("A run tells at most one bit of two levels", "[bench][bisect]") {
    CHECK(capacity(20) == Approx(1).margin(1e-6));
    CHECK(capacity(2) == Approx(0.4859).margin(0.001));
    CHECK(capacity(0.1) == Approx(0.01 / 8 / 0.6931).epsilon(0.01));  // of levels that are near
}

TEST_CASE("What is plain takes a run for every halving", "[bench][bisect]") {
    CHECK(fewest_runs(64, 1000, 1e-9) == Approx(6).margin(0.001));
    CHECK(fewest_runs(64, 1, 0.01) > 2 * fewest_runs(64, 2, 0.01));
}
