#include <limits>

#include <catch2/catch.hpp>

#include "service/watch/night/backfill.hpp"

using namespace vigil::service;

TEST_CASE("What a backfill still takes counts down until a night ends", "[service][watch]") {
    BackfillPace pace{.begun_s = 1000, .newest_end_s = 1000, .now_s = 1500, .ended = 0, .left = 6};
    CHECK_FALSE(remaining_s(pace));
    pace.ended = 2;  // in 600 s
    pace.newest_end_s = 1600;
    pace.left = 4;
    auto before = std::numeric_limits<std::int64_t>::max();
    for (pace.now_s = 1600; pace.now_s < 4000; pace.now_s += 10) {
        const auto left_s = remaining_s(pace).value();
        CAPTURE(pace.now_s, left_s);
        CHECK(left_s <= before);
        CHECK(left_s >= 3 * 300);  // three nights have not begun
        before = left_s;
    }
    pace.now_s = 1600;
    CHECK(remaining_s(pace) == 1200);
    pace.now_s = 1500;  // the clock was set back
    CHECK(remaining_s(pace) == 1200);
    pace.left = 1;
    pace.now_s = 9000;
    CHECK(remaining_s(pace) == 0);
    pace.left = 0;
    CHECK(remaining_s(pace) == 0);
}
