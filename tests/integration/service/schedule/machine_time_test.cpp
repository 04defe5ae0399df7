#include "service/store/work/machine_time.hpp"

#include <catch2/catch.hpp>

#include "service/schedule/leases.hpp"
#include "tests/support/job_scene.hpp"

namespace vigil::service {
namespace {

using test::JobScene;

/// A job of a purpose, claimed and ended after so long.
JobId play(JobScene& scene, const char* purpose, std::int64_t took_s, std::int64_t build_ns = 0) {
    const auto build = scene.add_build();
    const auto job = scene.add_job({build}, 80);
    scene.db.execute("UPDATE job SET purpose = ?2 WHERE id = ?1", job, std::string(purpose));
    const auto lease = scene.claim(scene.one).value();
    REQUIRE(lease.job == job);
    scene.now_s += took_s;
    auto result = scene.result_of(lease);
    result.builds.at(0).duration_ns = build_ns;
    CHECK(scene.finish(lease, scene.one, result) == Taking::taken);
    return job;
}

std::vector<DayTime> days(JobScene& scene) {
    return list_day_time(scene.db, scene.project, 0, day_of(scene.now_s) + 1);
}

TEST_CASE("Machine time counts by day, class and work, builds apart", "[service][schedule]") {
    JobScene scene;
    play(scene, "nightly", 100, 30'000'000'000);
    play(scene, "nightly", 20, 90'000'000'000);  // no more of it was a build than it took
    play(scene, "probe", 50);
    play(scene, "request", 7);  // without a session: a canary
    const auto found = days(scene);
    REQUIRE(found.size() == 3);
    CHECK(found[0].day == day_of(1'000'000));
    CHECK(found[0].time.machine_class == "cpu");
    CHECK(found[0].time.work == MachineWork::canary);
    CHECK(found[1].time.work == MachineWork::nightly);
    CHECK(found[1].time.seconds == 120);
    CHECK(found[1].time.build_s == 50);
    CHECK(found[2].time.work == MachineWork::probe);
    CHECK(found[2].time.seconds == 50);
}

TEST_CASE("An attempt counts for the day of its claim, lost ones too", "[service][schedule]") {
    JobScene scene;
    const auto first_day = day_of(scene.now_s);
    scene.now_s = (first_day + 1) * 86'400 - 10;
    scene.add_job({scene.add_build()});
    const auto lease = scene.claim(scene.one).value();
    scene.now_s += 100;
    CHECK(load_day_seconds(scene.db, scene.project, first_day, scene.now_s) == 100);  // goes on
    lose_attempt(
        scene.db,
        scene.config.jobs,
        load_job(scene.db, lease.job),
        {.outcome = AttemptOutcome::lost},
        scene.now_s);
    scene.now_s += 1000;
    CHECK(load_day_seconds(scene.db, scene.project, first_day, scene.now_s) == 100);
    CHECK(load_day_seconds(scene.db, scene.project, first_day + 1, scene.now_s) == 0);
    const auto found = days(scene);
    REQUIRE(found.size() == 1);
    CHECK(found[0].day == first_day);
    CHECK(list_day_time(scene.db, scene.project, first_day + 1, first_day + 2).empty());
}

TEST_CASE("A night's machine time is that of its own jobs", "[service][schedule]") {
    JobScene scene;
    scene.db.execute(
        "INSERT INTO nightly(project_id, build_id, version, day, revision, state, created_at_s) "
        "VALUES (?1, ?2, 'v', '2026-01-01', 'r', 'measuring', 5)",
        scene.project,
        scene.add_build());
    const NightlyId night{scene.db.last_insert_id()};
    const auto mine = play(scene, "nightly", 60, 6'000'000'000);
    play(scene, "nightly", 5);
    scene.db.execute("UPDATE job SET nightly_id = ?2 WHERE id = ?1", mine, night);
    const auto found = list_night_time(scene.db, night);
    REQUIRE(found.size() == 1);
    CHECK(found[0].work == MachineWork::nightly);
    CHECK(found[0].seconds == 60);
    CHECK(found[0].build_s == 6);
}

}  // namespace
}  // namespace vigil::service
