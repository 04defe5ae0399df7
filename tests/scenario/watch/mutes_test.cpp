#include "service/store/findings/mutes.hpp"

#include <catch2/catch.hpp>

#include "service/store/reports/reports.hpp"
#include "tests/support/fleet.hpp"

using namespace vigil;
using tests::Fleet;
using tests::World;

TEST_CASE("What is muted is found and searched, and told when the mute is over", "[scenario]") {
    World world{.seed = 5, .commits = 100, .variants = {"train"}};
    world.changes = {{.commit = 31, .variant = "train", .time = 1.2}};
    Fleet fleet(world, ":memory:");
    fleet.night(0);
    const auto series =
        fleet.db().find<SeriesId>("SELECT id FROM series WHERE metric = 'cpu_time_ns'");
    REQUIRE(series);
    const service::NewMute quiet{
        .project = ProjectId{1},
        .series = *series,
        .owner = "ada",
        .reason = "a new compiler",
        .token = "desk",
        .until_s = 5000};
    const auto due = [&] { return service::list_due_regressions(fleet.db(), 10).size(); };
    const auto mute = service::add_mute(fleet.db(), quiet, 1);
    fleet.night(70);
    CHECK(fleet.culprits() == std::vector{fleet.revision(31)});
    CHECK(fleet.count("muted") == 1);
    CHECK(due() == 0);
    service::end_mute(fleet.db(), mute, "the compiler is in", 2);
    CHECK_THROWS_AS(service::end_mute(fleet.db(), mute, "again", 3), Error);
    CHECK(due() == 1);
    const auto again = service::add_mute(fleet.db(), quiet, 4);
    CHECK(service::add_mute(fleet.db(), quiet, 5) != again);
    service::end_due_mutes(fleet.db(), 4999);
    CHECK(due() == 0);
    service::end_due_mutes(fleet.db(), 5000);
    CHECK(due() == 1);
    CHECK(fleet.count("event", "kind = 'mute.ended'") == 3);
}
