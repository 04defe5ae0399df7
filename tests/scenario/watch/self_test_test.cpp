// What the self-test plants is found, night after night.

#include "service/config/self_test.hpp"

#include <set>

#include <catch2/catch.hpp>

#include "tests/support/fleet.hpp"

using namespace vigil;
using tests::Fleet;
using tests::World;

TEST_CASE("Each planted regression is a culprit of its own night", "[scenario]") {
    constexpr int nights = 30;
    World world{.seed = GENERATE(1u, 2u), .noise = 0.02};
    world.variants.clear();
    for (std::size_t i = 0; i < service::self_test_benchmarks; ++i) {
        world.variants.push_back(service::self_test_benchmark_name(i));
    }
    // The commits of all nights on one line, and what each changes.
    std::vector<int> ends;
    std::vector<int> planted;
    std::array<int, service::self_test_benchmarks> loops =
        service::plan_self_test_night(0).front().loops;
    int commit = 0;
    for (int night = 0; night < nights; ++night) {
        for (const auto& one : service::plan_self_test_night(night)) {
            for (std::size_t i = 0; i < loops.size(); ++i) {
                if (one.loops.at(i) == loops.at(i)) continue;
                world.changes.push_back(
                    {.commit = commit,
                     .variant = world.variants.at(i),
                     .time = static_cast<double>(one.loops.at(i)) / loops.at(i)});
            }
            loops = one.loops;
            if (one.is_planted) planted.push_back(commit);
            ++commit;
        }
        ends.push_back(commit - 1);
    }
    world.commits = commit;
    Fleet fleet(world, ":memory:");
    std::size_t due = 0;
    for (int night = 0; night < nights; ++night) {
        CAPTURE(night);
        fleet.night(ends.at(static_cast<std::size_t>(night)));
        if (night >= service::quiet_self_test_nights) ++due;
        std::set<std::string> expected;
        for (std::size_t i = 0; i < due; ++i) expected.insert(fleet.revision(planted.at(i)));
        const auto found = fleet.culprits();
        CHECK(std::set<std::string>(found.begin(), found.end()) == expected);
    }
    CHECK(due == nights - service::quiet_self_test_nights);
    // Nothing else was filed, and what was taken back is closed.
    CHECK(fleet.count("regression", "state <> 'closed' AND ended_as IS NULL") <= 2);
}
