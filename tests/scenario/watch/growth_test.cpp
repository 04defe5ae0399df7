#include <cstdint>
#include <map>
#include <string>

#include <catch2/catch.hpp>

#include "tests/support/fleet.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/statement_steps.hpp"

// What a night costs must not depend on the nights before it. A plan shows a table that is read
// whole; only counting shows a part of it that grows, as all values of a series are.

namespace vigil::tests {
namespace {

using Steps = std::map<std::string, std::int64_t>;

// How the fleet sees that there is work.
const std::string requested_by_fleet =
    "SELECT COUNT(*) FROM job WHERE state IN ('queued', 'leased')";
// The nights of one series. After a verdict its state is followed anew from its last two years, so
// that a ledger which is younger reads more each time.
const std::string followed_anew = "SELECT n.id, n.build_id, m.median FROM (SELECT";
constexpr int period = 12;  // nights from one change to the next

// Every period one variant gets slower, and half a period later as fast as before.
World changing_world(int nights) {
    World world;
    world.commits = nights + 1;
    world.variants = {"infer", "train"};
    for (int commit = period; commit < nights; commit += period) {
        world.changes.push_back({.commit = commit, .variant = "infer", .time = 1.2});
        world.changes.push_back(
            {.commit = commit + period / 2, .variant = "infer", .time = 1 / 1.2});
    }
    return world;
}

Steps play(Fleet& fleet, int first, int last) {
    auto before = statement_steps();
    for (int night = first; night < last; ++night) fleet.night(night);
    auto steps = statement_steps();
    VIGIL_ASSERT(steps.erase(requested_by_fleet) == 1);
    std::erase_if(steps, [](const auto& one) { return one.first.starts_with(followed_anew); });
    for (auto& [sql, count] : steps) count -= before[sql];
    return steps;
}

TEST_CASE("A night reads no more late than early", "[scenario][growth][many-nights]") {
    constexpr int window = 3 * period;
    constexpr int early = 5 * period;
    constexpr int late = 20 * period;
    const test::ScratchFolder folder;
    Fleet fleet(changing_world(late + window), (folder / "vigil.db").string());
    play(fleet, 0, early);
    auto few = play(fleet, early, early + window);
    play(fleet, early + window, late);
    const auto many = play(fleet, late, late + window);
    std::int64_t before = 0;
    std::int64_t after = 0;
    for (const auto& [sql, steps] : many) {
        after += steps;
        before += few[sql];
        const auto part = steps - few[sql];
        if (part > 20'000) UNSCOPED_INFO(few[sql] << " -> " << steps << ": " << sql);
    }
    CHECK(static_cast<double>(after) / static_cast<double>(before) < 1.2);
    CHECK(fleet.count("regression") > 10);
}

}  // namespace
}  // namespace vigil::tests
