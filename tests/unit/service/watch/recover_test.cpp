#include "service/watch/recover/recover.hpp"

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;

namespace {

/// A change that was found against the good night of this number and its level.
OpenChange change(std::int64_t regression, std::int64_t good, double base) {
    return {RegressionId{regression}, NightlyId{good}, base, Direction::lower_is_better};
}

std::vector<RegressionId> ids(const std::vector<std::int64_t>& values) {
    std::vector<RegressionId> all;
    for (const auto value : values) all.push_back(RegressionId{value});
    return all;
}

}  // namespace

TEST_CASE("A series that is as good as before ends each change since", "[service][watch]") {
    const std::vector open{change(1, 10, 100), change(2, 20, 120)};
    CHECK(ended_by(open, NightlyId{10}, 0.07) == ids({1, 2}));
}

TEST_CASE("A series that is back by the last step ends the last change only", "[service][watch]") {
    const std::vector open{change(1, 10, 100), change(2, 20, 120)};
    CHECK(ended_by(open, NightlyId{20}, 0.07) == ids({2}));
}

TEST_CASE("Levels that differ by less than half the threshold are alike", "[service][watch]") {
    const std::vector open{change(1, 10, 100), change(2, 20, 103)};
    CHECK(ended_by(open, NightlyId{20}, 0.07) == ids({1, 2}));
    CHECK(ended_by(open, NightlyId{20}, 0.05) == ids({2}));
}

TEST_CASE("A build that no change began from ends none", "[service][watch]") {
    CHECK(ended_by({change(1, 10, 100)}, NightlyId{11}, 0.07).empty());
    CHECK(ended_by({}, NightlyId{11}, 0.07).empty());
}
