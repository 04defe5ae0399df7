#include <string>

#include <catch2/catch.hpp>

#include "tests/support/fleet.hpp"

using namespace vigil;
using tests::Fleet;
using tests::World;

namespace {

// Steps that hide below the bar of noisy series; fewer of these than a storm asks for.
World hiding_world(unsigned seed) {
    World world{.seed = seed, .commits = 200, .variants = {}, .noise = 0.05};
    for (int v = 0; v < 6; ++v) {
        world.variants.push_back("v" + std::to_string(v));
        world.changes.push_back({.commit = 50, .variant = world.variants.back(), .time = 1.06});
    }
    return world;
}

}  // namespace

TEST_CASE("Tonight and last night together open a session where neither does", "[scenario]") {
    int opened = 0;
    for (unsigned seed = 1; seed <= 3; ++seed) {
        CAPTURE(seed);
        Fleet fleet(hiding_world(seed), ":memory:");
        for (int night = 0; night < 12; ++night) fleet.night(night);
        for (int night = 0; night < 3; ++night) fleet.night(60 + night);
        const std::string by_two = "suspicion.reason LIKE '%two nights%'";
        opened += fleet.count("suspicion", by_two + " AND session_id IS NOT NULL");
        // Last night is not the good one.
        CHECK(fleet.count("suspicion", by_two + " AND good_nightly_id = nightly_id - 1") == 0);
        // What was asked last night is not asked together with it.
        CHECK(
            fleet.count(
                "suspicion JOIN suspicion l ON l.series_id = suspicion.series_id "
                "AND l.nightly_id = suspicion.nightly_id - 1",
                by_two + " AND l.waits = '' AND l.verdict <> 'watch'") == 0);
    }
    CHECK(opened >= 1);
}
