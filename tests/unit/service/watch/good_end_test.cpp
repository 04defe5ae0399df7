#include "service/watch/search/good_end.hpp"

#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::service;

namespace {

LaterNight requested_night(int id, double level, bool was_requested = false) {
    return {NightlyId{id}, level, {}, was_requested};
}

const double old_level = std::log(100);
const double new_level = std::log(125);

std::optional<NightlyId> good_of(const std::vector<LaterNight>& nights, double spread = 0.01) {
    return newest_good(nights, old_level, new_level, spread);
}

}  // namespace

TEST_CASE("The search begins at the newest night that is known good", "[service][watch]") {
    CHECK(
        good_of({requested_night(5, old_level), requested_night(6, old_level + 0.01)}) ==
        NightlyId{6});
    CHECK(good_of({requested_night(5, old_level), requested_night(6, new_level)}) == NightlyId{5});
    CHECK(good_of({requested_night(5, old_level - 0.02)}) == NightlyId{5});
    CHECK(!good_of({}));
}

TEST_CASE("A night that may be of the new level ends what is known good", "[service][watch]") {
    CHECK(!good_of({requested_night(5, old_level + 0.1)}));
    CHECK(
        good_of(
            {requested_night(5, old_level),
             requested_night(6, old_level + 0.1),
             requested_night(7, old_level)}) == NightlyId{5});
    CHECK(
        good_of(
            {requested_night(5, old_level),
             requested_night(6, old_level, true),
             requested_night(7, old_level)}) == NightlyId{5});
}

TEST_CASE("Nights that scatter as much as the change are not known", "[service][watch]") {
    CHECK(!good_of({requested_night(5, old_level)}, 0.05));
    CHECK(!good_of({requested_night(5, old_level)}, 0));
    CHECK(!newest_good(
        std::vector{requested_night(5, old_level)}, old_level, old_level - 0.1, 0.001));
}
