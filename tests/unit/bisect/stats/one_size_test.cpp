#include "bisect/stats/one_size.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "schema/model/metric.hpp"

using namespace vigil;

namespace {

Comparison measured(double ratio, double low, double high, int runs, double before = 100) {
    Comparison comparison;
    comparison.before = before;
    comparison.after = before * (1 + ratio);
    comparison.change_ratio = ratio;
    comparison.low = low;
    comparison.high = high;
    comparison.runs_before = comparison.runs_after = runs;
    comparison.finding = Finding::worse;
    return comparison;
}

}  // namespace

TEST_CASE("Two measurements of one change are one size between them", "[bisect][stats]") {
    const auto confirmed = measured(0.121, 0.06, 0.186, 4);
    const auto verified = measured(0.168, 0.12, 0.218, 6, 90);
    const auto size = stats::one_size(confirmed, verified, false);
    CHECK(size.change_ratio > 0.14);  // nearer to the one that is surer
    CHECK(size.change_ratio < 0.168);
    CHECK(size.high - size.low < verified.high - verified.low);
    CHECK(size.low < size.change_ratio);
    CHECK(size.change_ratio < size.high);
    CHECK(size.runs_before == 10);
    CHECK(size.runs_after == 10);
    CHECK(size.after / size.before - 1 == Approx(size.change_ratio));
    CHECK(size.before > 90);
    CHECK(size.before < 100);
}

TEST_CASE("What differs by more than its errors, or is shared, is not pooled", "[bisect][stats]") {
    const auto confirmed = measured(0.40, 0.38, 0.42, 6);
    const auto verified = measured(0.20, 0.18, 0.22, 6);
    CHECK(stats::one_size(confirmed, verified, false).change_ratio == 0.20);
    const auto alike = measured(0.39, 0.36, 0.42, 6);
    CHECK(stats::one_size(confirmed, alike, true).change_ratio == 0.39);
    CHECK(stats::one_size(confirmed, alike, false).change_ratio != 0.39);
}

TEST_CASE("What was measured once has that size", "[bisect][stats]") {
    const auto confirmed = measured(0.40, 0.38, 0.42, 6);
    CHECK(stats::one_size(confirmed, std::nullopt, false).change_ratio == 0.40);
    CHECK(stats::one_size(confirmed, Comparison{}, false).change_ratio == 0.40);
    CHECK(stats::one_size(Comparison{}, confirmed, false).change_ratio == 0.40);
    CHECK(stats::one_size(Comparison{}, std::nullopt, false).runs_after == 0);
}

TEST_CASE("An exact measurement and one without an end are not weighed", "[bisect][stats]") {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const auto exact = measured(0.10, 0.10, 0.10, 2);
    CHECK(stats::one_size(exact, exact, false).change_ratio == 0.10);
    const auto loose = measured(0.12, -infinity, infinity, 1);
    CHECK(stats::one_size(loose, exact, false).change_ratio == 0.10);
    CHECK(stats::one_size(exact, loose, false).change_ratio == 0.12);
    const auto from_zero = measured(infinity, infinity, infinity, 2);
    CHECK(std::isinf(stats::one_size(exact, from_zero, false).change_ratio));
    CHECK(stats::pooled(exact, measured(0.11, 0.05, 0.17, 4)).change_ratio == 0.10);
}

TEST_CASE(
    "A change and a further one after it are one, with the error of both", "[bisect][stats]") {
    const auto filed = measured(1.0, 0.9, 1.1, 6);
    const auto since = measured(-0.25, -0.27, -0.23, 8, 200);
    const auto whole = stats::chained(filed, since);
    CHECK(whole.change_ratio == Approx(0.5));
    CHECK(whole.low > 0.4);
    CHECK(whole.low < 0.47);
    CHECK(whole.high > 0.53);
    CHECK(whole.before == 100);
    CHECK(whole.after == 150);
    CHECK(whole.runs_after == 8);
}

TEST_CASE("A level that fell to 0 and rose again is chained to what it was", "[bisect][stats]") {
    Comparison gone;
    gone.before = 5;
    gone.change_ratio = gone.low = gone.high = -1;
    Comparison again;
    again.after = 10;
    again.change_ratio = again.low = again.high = from_zero;
    CHECK(stats::chained(gone, again).change_ratio == Approx(1));
    Comparison from_nothing = again;
    from_nothing.after = 2;
    Comparison back;
    back.before = 2;
    back.change_ratio = back.low = back.high = -1;
    CHECK(stats::chained(from_nothing, back).change_ratio == 0);
}
