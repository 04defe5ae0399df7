#include "bisect/stats/change_share.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::stats;

namespace {

Comparison change(double ratio, double error = 0.01) {
    Comparison c;
    c.change_ratio = ratio;
    c.low = ratio - error;
    c.high = ratio + error;
    c.runs_before = 8;
    c.runs_after = 6;
    return c;
}

}  // namespace

TEST_CASE("A comparison the other way round is how much worse A is", "[bisect][stats]") {
    auto better = change(-0.2);
    better.before = 125;
    better.after = 100;
    better.finding = Finding::better;
    const auto other = turned(better);
    CHECK(other.change_ratio == Approx(0.25));
    CHECK(other.low == Approx(1 / 0.81 - 1));
    CHECK(other.high == Approx(1 / 0.79 - 1));
    CHECK(other.before == 100);
    CHECK(other.runs_before == 6);
    CHECK(other.finding == Finding::worse);
    CHECK(turned(other).change_ratio == Approx(-0.2));
}

TEST_CASE("A share of a change is told with the errors of both", "[bisect][stats]") {
    const auto all = share_of(change(0.21), change(0.21));
    CHECK(all.share == Approx(1));
    CHECK(all.low < 0.95);
    CHECK(all.high > 1.05);
    CHECK(share_of(change(0.21), change(0.1)).share == Approx(0.5));
    CHECK(share_of(change(0.21, 0), change(0.1, 0)).low == Approx(0.5));
    CHECK(share_of(change(0.21), change(-0.1)).share < 0);
}

TEST_CASE("What comes back is all, a part or nothing, or that is not clear", "[bisect][stats]") {
    const auto part = [](double ratio, double error) {
        return part_of(share_of(change(0.124), change(ratio, error)));
    };
    CHECK(part(0.118, 0.01) == SharePart::whole);
    CHECK(part(0.15, 0.005) == SharePart::whole);
    CHECK(part(0.06, 0.01) == SharePart::some);
    CHECK(part(0.03, 0.005) == SharePart::some);
    CHECK(part(0.002, 0.01) == SharePart::none);
    CHECK(part(0.01, 0.002) == SharePart::none);  // next to nothing
    CHECK(part(-0.05, 0.01) == SharePart::none);
    CHECK(part(0.06, 0.08) == SharePart::unclear);
    CHECK(part(0.118, 0.07) == SharePart::unclear);
    CHECK(part(std::numeric_limits<double>::infinity(), 0) == SharePart::unclear);
    CHECK(part(-1, 0) == SharePart::unclear);
}
