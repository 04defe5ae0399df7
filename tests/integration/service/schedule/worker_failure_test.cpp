// Failures that are the worker's, processes that are gone, results of another ledger.

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/schedule/leases.hpp"
#include "service/store/troubles.hpp"
#include "tests/support/job_scene.hpp"

namespace vigil::service {
namespace {

using test::JobScene;

JobResult nothing_ran() {
    JobResult result;
    result.failure = "making a fresh folder: Permission denied";
    result.fault = Fault::worker;
    return result;
}

int lost_attempts(JobScene& scene, JobId job) {
    return scene.db.find<int>("SELECT lost_attempts FROM job WHERE id = ?1", job).value();
}

TEST_CASE("A worker that fails before anything ran is held, not its jobs", "[service][schedule]") {
    JobScene scene;
    std::vector<JobId> jobs;
    for (int i = 0; i < 7; ++i) jobs.push_back(scene.add_job({scene.add_build()}));
    const auto lease = scene.claim(scene.one);
    REQUIRE(lease.has_value());
    CHECK(scene.finish(*lease, scene.one, nothing_ran()) == Taking::taken);
    CHECK(scene.finish(*lease, scene.one, nothing_ran()) == Taking::again);
    CHECK_FALSE(scene.claim(scene.one).has_value());
    for (const auto job : jobs) {
        CHECK(scene.state(job) == JobState::queued);
        CHECK(lost_attempts(scene, job) == 0);
    }
    CHECK(
        scene.count("worker", "state = 'quarantined' AND reason LIKE '%Permission denied%'") == 1);
    CHECK(scene.count("attempt", "outcome = 'released' AND message LIKE '%Permission%'") == 1);
    const auto troubles = list_troubles(scene.db);
    REQUIRE(troubles.size() == 1);
    CHECK(troubles[0].subject == "worker/" + to_string(scene.one));
    CHECK_THAT(troubles[0].message, Catch::Contains("vigil worker release one"));
    CHECK(scene.claim(scene.two)->job == jobs.front());
    release_worker(scene.db, "one", scene.now_s);
    CHECK(list_troubles(scene.db).empty());
    CHECK(scene.claim(scene.one).has_value());
}

TEST_CASE("A job that no worker can begin is not the fault of the second", "[service][schedule]") {
    JobScene scene;
    const JobId job = scene.add_job({scene.add_build()});
    CHECK(scene.finish(*scene.claim(scene.one), scene.one, nothing_ran()) == Taking::taken);
    CHECK(scene.finish(*scene.claim(scene.two), scene.two, nothing_ran()) == Taking::taken);
    CHECK(lost_attempts(scene, job) == 1);
    CHECK(scene.count("worker", "state = 'quarantined'") == 1);
    CHECK(scene.count("attempt", "outcome = 'failed'") == 1);
}

TEST_CASE("A worker that says it cannot work gets no job until it can", "[service][schedule]") {
    JobScene scene;
    const JobId job = scene.add_job({scene.add_build()});
    Fingerprint shown;
    shown.cpu_model = "Xeon";
    shown.toolchain = "gcc";
    const WorkerWords full{"its disk is full", {}};
    upsert_worker(scene.db, scene.config, "one", shown, false, scene.now_s, full);
    CHECK_FALSE(scene.claim(scene.one).has_value());
    CHECK(list_troubles(scene.db).size() == 1);
    scene.show("one");
    CHECK(list_troubles(scene.db).empty());
    CHECK(scene.claim(scene.one)->job == job);
}

TEST_CASE(
    "What a worker's earlier process had under lease is lost at once", "[service][schedule]") {
    JobScene scene;
    const auto& rules = scene.config.jobs;
    const JobId job = scene.add_job({scene.add_build()});
    meet_process(scene.db, rules, scene.one, "aaaa", scene.now_s);
    const auto lease = scene.claim(scene.one);
    REQUIRE(lease.has_value());
    meet_process(scene.db, rules, scene.one, "aaaa", scene.now_s);  // the same claims on
    meet_process(scene.db, rules, scene.one, "", scene.now_s);      // one that does not tell
    CHECK(scene.state(job) == JobState::leased);
    meet_process(scene.db, rules, scene.one, "bbbb", scene.now_s);
    CHECK(scene.state(job) == JobState::queued);
    CHECK(scene.count("attempt", "outcome = 'lost' AND message LIKE '%process is gone%'") == 1);
    CHECK(scene.finish(*lease, scene.one, scene.result_of(*lease)) == Taking::stale);
    CHECK(scene.claim(scene.one)->attempt == 2);
    CHECK_THROWS_WITH(
        meet_process(scene.db, rules, scene.one, "aaaa", scene.now_s),
        Catch::Contains("another process claims as worker one"));
    CHECK(scene.state(job) == JobState::leased);
}

TEST_CASE("A result of another ledger is refused, whatever its numbers", "[service][schedule]") {
    JobScene before;
    before.add_job({before.add_build()});
    const auto old = before.claim(before.one);
    JobScene now;
    const JobId job = now.add_job({now.add_build()});
    const auto lease = now.claim(now.one);
    REQUIRE((old && lease));
    REQUIRE(old->job == lease->job);
    REQUIRE(old->attempt == lease->attempt);
    REQUIRE(old->key != lease->key);
    auto result = before.result_of(*old);
    result.key = old->key;
    CHECK(now.finish(*lease, now.one, result) == Taking::foreign);
    CHECK(now.state(job) == JobState::leased);
    CHECK(now.count("run") == 0);
    CHECK(now.count("event", "kind = 'job.foreign_result'") == 1);
    result.key = lease->key;
    CHECK(now.finish(*lease, now.one, result) == Taking::taken);
    CHECK(now.finish(*lease, now.one, result) == Taking::again);
}

}  // namespace
}  // namespace vigil::service
