#include "bisect/detect/level_ends.hpp"

#include <cmath>
#include <vector>

#include <catch2/catch.hpp>

using namespace vigil;
using namespace vigil::detect;

namespace {

LaterNight requested_night(int id, double level, bool was_requested = false) {
    return {NightlyId{id}, level, {}, was_requested};
}

const double change_from = std::log(100);
const double change_to = std::log(125);

std::optional<NightlyId> good_of(const std::vector<LaterNight>& nights, double spread = 0.01) {
    return newest_good(nights, change_from, change_to, spread);
}

}  // namespace

TEST_CASE("The search begins at the newest night that is known good", "[bisect][detect]") {
    CHECK(
        good_of({requested_night(5, change_from), requested_night(6, change_from + 0.01)}) ==
        NightlyId{6});
    CHECK(
        good_of({requested_night(5, change_from), requested_night(6, change_to)}) == NightlyId{5});
    CHECK(good_of({requested_night(5, change_from - 0.02)}) == NightlyId{5});
    CHECK(!good_of({}));
}

TEST_CASE("A night that may be of the new level ends what is known good", "[bisect][detect]") {
    CHECK(!good_of({requested_night(5, change_from + 0.1)}));
    CHECK(
        good_of(
            {requested_night(5, change_from),
             requested_night(6, change_from + 0.1),
             requested_night(7, change_from)}) == NightlyId{5});
    CHECK(
        good_of(
            {requested_night(5, change_from),
             requested_night(6, change_from, true),
             requested_night(7, change_from)}) == NightlyId{5});
}

TEST_CASE("Nights that scatter as much as the change are not known", "[bisect][detect]") {
    CHECK(!good_of({requested_night(5, change_from)}, 0.05));
    CHECK(!good_of({requested_night(5, change_from)}, 0));
    CHECK(!newest_good(
        std::vector{requested_night(5, change_from)}, change_from, change_from - 0.1, 0.001));
}

namespace {

const double fixed_level = std::log(100.0);
const double worse_level = std::log(120.0);

/// Nights 1, 2, ... of these values; the last is measured as back.
std::vector<LaterNight> night_levels(const std::vector<double>& values) {
    std::vector<LaterNight> all;
    for (const double value : values) {
        all.push_back(
            {NightlyId{static_cast<std::int64_t>(all.size()) + 1}, std::log(value), {}, false});
    }
    return all;
}

std::optional<NightlyId> bad_of(const std::vector<LaterNight>& all, double spread = 0.01) {
    return newest_bad(all, fixed_level, worse_level, spread);
}

}  // namespace

TEST_CASE("The night before is the last bad one where it was as bad", "[bisect][detect]") {
    CHECK(bad_of(night_levels({120, 121, 119, 100})) == NightlyId{3});
    CHECK(bad_of(night_levels({120, 121, 145, 100})) == NightlyId{3});
}

TEST_CASE("A night that looks better, or between, is not called bad", "[bisect][detect]") {
    CHECK(bad_of(night_levels({120, 121, 101, 100})) == NightlyId{2});
    CHECK(bad_of(night_levels({120, 121, 112, 100})) == NightlyId{2});
    CHECK(bad_of(night_levels({101, 100, 100})) == std::nullopt);
    CHECK(bad_of(night_levels({100})) == std::nullopt);
    CHECK(bad_of({}) == std::nullopt);
}

TEST_CASE("A session's word on a night counts, not the night's own value", "[bisect][detect]") {
    auto all = night_levels({120, 121, 101, 100});
    all[2].was_requested = true;
    CHECK(bad_of(all) == NightlyId{2});
    all[2].still_bad = true;
    CHECK(bad_of(all) == NightlyId{3});
    all = night_levels({120, 120, 120, 100});
    all[2].was_requested = true;  // undecided
    CHECK(bad_of(all) == NightlyId{2});
}

TEST_CASE("Where nights scatter as far as the change, none is called bad", "[bisect][detect]") {
    const auto all = night_levels({120, 100, 121, 95, 122, 98, 119, 100});
    CHECK(bad_of(all, 0.01) == NightlyId{7});
    CHECK(bad_of(all, 0.08) == std::nullopt);
}

TEST_CASE("Where the machine got slower, what is back lies higher", "[bisect][detect]") {
    CHECK(bad_of(night_levels({120, 132, 131, 110, 110})) == NightlyId{3});
    CHECK(bad_of(night_levels({120, 121, 118, 117})) == std::nullopt);
}
