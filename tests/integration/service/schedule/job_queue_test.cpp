#include "service/schedule/job_queue.hpp"

#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
#include "service/schedule/leases.hpp"
#include "service/store/work/builds.hpp"
#include "tests/support/job_scene.hpp"

namespace vigil::service {
namespace {

using test::JobScene;

TEST_CASE(
    "A worker gets the most urgent job of its class, then the oldest", "[service][schedule]") {
    JobScene scene;
    const BuildId build = scene.add_build();
    const JobId older = scene.add_job({build}, 10);
    const JobId urgent = scene.add_job({scene.add_build()}, 80);
    CHECK_FALSE(scene.claim(scene.three).has_value());
    const auto first = scene.claim(scene.one);
    const auto second = scene.claim(scene.two);
    REQUIRE((first && second));
    CHECK(first->job == urgent);
    CHECK(second->job == older);
    CHECK(second->attempt == 1);
    CHECK(second->ttl_s == scene.config.jobs.lease_ttl_s);
    CHECK(second->project == "toy");
    CHECK(second->builds.at(0).id == build);
    auto recipe = scene.config.projects["toy"].recipe;
    recipe.environment["VIGIL_REVISION"] = second->builds.at(0).revision.str();
    recipe.environment["TRACEPARENT"] = second->environment.at("TRACEPARENT");
    CHECK(second->builds.at(0).recipe == recipe);
    CHECK_FALSE(second->builds.at(0).product.has_value());
    CHECK(second->plan.steps.size() == 1);
    CHECK(second->environment.at("OMP_NUM_THREADS") == "1");
    CHECK_FALSE(scene.claim(scene.one).has_value());
}

TEST_CASE("A job that cannot be read ends, and the next one is claimed", "[service][schedule]") {
    JobScene scene;
    const JobId poisoned = scene.add_job({scene.add_build()}, 80);
    const JobId sound = scene.add_job({scene.add_build()}, 10);
    const std::string poison = GENERATE(
        "UPDATE job SET plan = 'no JSON' WHERE id = ?1", "DELETE FROM job_build WHERE job_id = ?1");
    scene.db.execute(poison, poisoned);
    const auto lease = scene.claim(scene.one);
    REQUIRE(lease.has_value());
    CHECK(lease->job == sound);
    CHECK(scene.db.find<std::string>("SELECT state FROM job WHERE id = ?1", poisoned) == "failed");
    CHECK(scene.db.find<int>("SELECT COUNT(*) FROM attempt WHERE job_id = ?1", poisoned) == 0);
    CHECK(scene.db.find<int>("SELECT 1 FROM event WHERE kind = 'job.unreadable'").has_value());
}

TEST_CASE("Samples that cannot be judged stand beside the series", "[service][schedule]") {
    JobScene scene;
    scene.add_job({scene.add_build()});
    const auto lease = scene.claim(scene.one);
    REQUIRE(lease.has_value());
    auto result = scene.result_of(*lease);
    result.runs.at(0).samples = {
        {Metric::cpu_time_ns, {0, 0}},
        {Metric::wall_time_ns, {1e308, 1e308}},
        {Metric::gpu_time_ns, {-5, -5}},
        {Metric::peak_process_bytes, {4096}}};
    CHECK(scene.finish(*lease, scene.one, result) == Taking::taken);
    CHECK(scene.db.find<int>("SELECT COUNT(*) FROM measurement") == 1);
    CHECK(scene.db.find<int>("SELECT COUNT(*) FROM unjudged_measurement WHERE count = 2") == 3);
    CHECK(scene.db
              .find<int>("SELECT 1 FROM unjudged_measurement WHERE reason LIKE 'its value is 0;%'")
              .has_value());
}

TEST_CASE("A job waits until every build has its input", "[service][schedule]") {
    JobScene scene;
    const BuildId ready = scene.add_build();
    const BuildId missing = scene.add_build(false);
    scene.add_job({ready, missing});
    CHECK_FALSE(scene.claim(scene.one).has_value());
    scene.db.execute(
        "UPDATE build SET input_digest = ?2 WHERE id = ?1", missing, wire::sha256("tree"));
    CHECK(scene.claim(scene.one).has_value());
}

TEST_CASE("A claim looks past many jobs that cannot begin yet", "[service][schedule]") {
    JobScene scene;
    for (int i = 0; i < 150; ++i) scene.add_job({scene.add_build(false)});
    CHECK_FALSE(scene.claim(scene.one));
    const auto ready = scene.add_job({scene.add_build()});
    const auto lease = scene.claim(scene.one);
    REQUIRE(lease);
    CHECK(lease->job == ready);
}

TEST_CASE("Jobs whose source cannot be had fail, others wait on", "[service][schedule]") {
    JobScene scene;
    const BuildId gone = scene.add_build(false);
    const JobId hopeless = scene.add_job({scene.add_build(), gone});
    const JobId other = scene.add_job({scene.add_build()});
    record_source_failure(scene.db, gone, "no such commit", scene.now_s);
    CHECK(scene.state(hopeless) == JobState::failed);
    CHECK(scene.state(other) == JobState::queued);
}

TEST_CASE("A job waits for a product that another worker is making", "[service][schedule]") {
    JobScene scene;
    const BuildId shared = scene.add_build();
    scene.add_job({shared}, 50);
    const JobId waits = scene.add_job({shared}, 40);
    const JobId other = scene.add_job({scene.add_build()}, 30);
    const auto first = scene.claim(scene.one);
    REQUIRE(first.has_value());
    const auto passed_over = scene.claim(scene.two);
    REQUIRE(passed_over.has_value());
    CHECK(passed_over->job == other);
    CHECK(scene.finish(*first, scene.one, scene.result_of(*first)) == Taking::taken);
    const auto second = scene.claim(scene.one);
    REQUIRE(second.has_value());
    CHECK(second->job == waits);
    CHECK(second->builds.at(0).product == scene.result_of(*first).builds.at(0).product);
}

TEST_CASE("A worker of another toolchain makes its own product", "[service][schedule]") {
    JobScene scene;
    const BuildId shared = scene.add_build();
    scene.add_job({shared});
    scene.add_job({shared});
    scene.show("two", "clang");
    REQUIRE(scene.claim(scene.one).has_value());
    const auto second = scene.claim(scene.two);
    REQUIRE(second.has_value());
    CHECK_FALSE(second->builds.at(0).product.has_value());
}

TEST_CASE("A quarantined worker gets no job", "[service][schedule]") {
    JobScene scene;
    scene.config.machine_classes["cpu"].cpu_model = "EPYC";
    scene.show("one");
    scene.add_job({scene.add_build()});
    CHECK_FALSE(scene.claim(scene.one).has_value());
    CHECK(scene.count("worker", "state = 'quarantined' AND reason LIKE '%EPYC%'") == 1);
    CHECK(scene.claim(scene.two).has_value());
}

TEST_CASE("A job meant for one worker is given to no other", "[service][schedule]") {
    JobScene scene;
    const JobId job = scene.add_job({scene.add_build()});
    scene.db.execute("UPDATE job SET only_worker_id = ?2 WHERE id = ?1", job, scene.two);
    const auto waiting = list_waiting_for_own(scene.db, scene.project, 10);
    REQUIRE(waiting.size() == 1);
    CHECK(waiting.front().id == job);
    CHECK(find_only_worker(scene.db, job) == scene.two);
    CHECK_FALSE(scene.claim(scene.one).has_value());
    CHECK(scene.claim(scene.two).has_value());
    CHECK(list_waiting_for_own(scene.db, scene.project, 10).empty());
}

TEST_CASE("A job that is meant for any other worker waits 30 minutes for one", "[service]") {
    JobScene scene;
    const JobId job = scene.add_job({scene.add_build()});
    scene.db.execute("UPDATE job SET except_worker_id = ?2 WHERE id = ?1", job, scene.one);
    CHECK_FALSE(scene.claim(scene.one).has_value());
    CHECK(cancel_unclaimed(scene.db, scene.config, scene.now_s) == 0);
    CHECK(cancel_unclaimed(scene.db, scene.config, scene.now_s + 1799) == 0);
    SECTION("and another one takes it") {
        CHECK(scene.claim(scene.two).has_value());
        CHECK(cancel_unclaimed(scene.db, scene.config, scene.now_s + 1800) == 0);
    }
    SECTION("and none comes") {
        CHECK(cancel_unclaimed(scene.db, scene.config, scene.now_s + 1800) == 1);
        CHECK(scene.state(job) == JobState::cancelled);
        CHECK_FALSE(scene.claim(scene.two).has_value());
    }
}

TEST_CASE("A result becomes products, runs and measurements", "[service][schedule]") {
    JobScene scene;
    const JobId job = scene.add_job({scene.add_build(), scene.add_build()});
    const auto lease = scene.claim(scene.one);
    REQUIRE(lease.has_value());
    auto result = scene.result_of(*lease);
    result.runs[1].outcome = Outcome::oom;
    result.runs[1].message = "killed at 4 GiB";
    result.runs[1].samples.clear();
    CHECK(scene.finish(*lease, scene.one, result) == Taking::taken);
    CHECK(scene.state(job) == JobState::done);
    CHECK(scene.count("product", "state = 'built'") == 2);
    CHECK(scene.count("run") == 2);
    CHECK(scene.count("run", "outcome = 'oom' AND message = 'killed at 4 GiB'") == 1);
    CHECK(scene.count("environment") == 1);
    CHECK(scene.count("attempt", "outcome = 'done' AND result_digest IS NOT NULL") == 1);
    auto rows = scene.db.query(
        "SELECT median, spread, count, samples, metric, unit FROM measurement "
        "JOIN series ON series.id = series_id");
    REQUIRE(rows.next());
    CHECK(rows.get<double>(0) == 11);
    CHECK(rows.get<double>(1) == Approx(1.4826));
    CHECK(rows.get<int>(2) == 3);
    CHECK(rows.get<Blob>(3).size() == 3 * sizeof(double));
    CHECK(rows.get<Metric>(4) == Metric::cpu_time_ns);
    CHECK(rows.get<std::string>(5) == "ns");
    CHECK_FALSE(rows.next());
}

TEST_CASE("The same result again changes nothing", "[service][schedule]") {
    JobScene scene;
    scene.add_job({scene.add_build()});
    const auto lease = scene.claim(scene.one);
    REQUIRE(lease.has_value());
    const auto result = scene.result_of(*lease);
    CHECK(scene.finish(*lease, scene.one, result) == Taking::taken);
    const int events = scene.count("event");
    CHECK(scene.finish(*lease, scene.one, result) == Taking::again);
    CHECK(scene.count("run") == 1);
    CHECK(scene.count("event") == events);
}

TEST_CASE("A failure sent twice is one lost attempt", "[service][schedule]") {
    JobScene scene;
    const JobId job = scene.add_job({scene.add_build()});
    const auto lease = scene.claim(scene.one);
    REQUIRE(lease.has_value());
    JobResult failure;
    failure.failure = "no space on the worker's disk";
    CHECK(scene.finish(*lease, scene.one, failure) == Taking::taken);
    CHECK(scene.finish(*lease, scene.one, failure) == Taking::again);
    CHECK(scene.state(job) == JobState::queued);
    CHECK(scene.count("job", "lost_attempts = 1") == 1);
    CHECK(scene.count("attempt", "outcome = 'failed' AND message LIKE '%disk%'") == 1);
    CHECK(scene.claim(scene.two)->attempt == 2);
    CHECK(scene.finish(*lease, scene.one, failure) == Taking::again);  // and much later, too
    CHECK(scene.count("attempt", "stale_results > 0") == 0);
}

TEST_CASE(
    "An expired lease returns its job, and its late result is refused", "[service][schedule]") {
    JobScene scene;
    const JobId job = scene.add_job({scene.add_build()});
    const auto lost = scene.claim(scene.one);
    REQUIRE(lost.has_value());
    scene.now_s += scene.config.jobs.lease_ttl_s - 1;
    CHECK(expire_leases(scene.db, scene.config.jobs, scene.now_s) == 0);
    scene.now_s += 1;
    CHECK(expire_leases(scene.db, scene.config.jobs, scene.now_s) == 1);
    const auto taken = scene.claim(scene.two);
    REQUIRE(taken.has_value());
    CHECK(taken->job == job);
    CHECK(taken->attempt == 2);
    CHECK(scene.finish(*lost, scene.one, scene.result_of(*lost)) == Taking::stale);
    CHECK(scene.count("run") == 0);
    CHECK(scene.count("attempt", "number = 1 AND stale_results = 1") == 1);
    CHECK(scene.finish(*taken, scene.one, scene.result_of(*taken)) == Taking::stale);
    CHECK(scene.finish(*taken, scene.two, scene.result_of(*taken)) == Taking::taken);
}

TEST_CASE("A heartbeat keeps a lease, and a stale one is refused", "[service][schedule]") {
    JobScene scene;
    scene.add_job({scene.add_build()});
    const auto lease = scene.claim(scene.one);
    REQUIRE(lease.has_value());
    const auto& rules = scene.config.jobs;
    for (int i = 0; i < 5; ++i) {
        scene.now_s += rules.lease_ttl_s - 1;
        const auto reply =
            heartbeat(scene.db, rules, lease->job, 1, scene.one, "step 1", scene.now_s);
        CHECK_FALSE(reply.cancel);
        CHECK(reply.ttl_s == rules.lease_ttl_s);
        CHECK(expire_leases(scene.db, rules, scene.now_s) == 0);
    }
    CHECK(scene.count("job", "progress = 'step 1'") == 1);
    const auto refused = [&](int attempt, WorkerId worker) {
        CHECK_THROWS_AS(
            heartbeat(scene.db, rules, lease->job, attempt, worker, "", scene.now_s), Error);
    };
    refused(1, scene.two);
    refused(2, scene.one);
    refused(0, scene.one);
    CHECK_THROWS_AS(heartbeat(scene.db, rules, JobId{99}, 1, scene.one, "", 0), Error);
}

TEST_CASE("A cancelled job tells its worker, and takes no result", "[service][schedule]") {
    JobScene scene;
    const JobId job = scene.add_job({scene.add_build()});
    const auto lease = scene.claim(scene.one);
    REQUIRE(lease.has_value());
    cancel_job(scene.db, job, scene.now_s);
    CHECK(scene.state(job) == JobState::cancelled);
    CHECK(heartbeat(scene.db, scene.config.jobs, job, 1, scene.one, "", scene.now_s).cancel);
    CHECK(scene.finish(*lease, scene.one, scene.result_of(*lease)) == Taking::stale);
    CHECK(scene.state(job) == JobState::cancelled);
    CHECK_THROWS_AS(cancel_job(scene.db, job, scene.now_s), Error);
    CHECK_THROWS_AS(cancel_job(scene.db, JobId{99}, scene.now_s), Error);
}

TEST_CASE("A build that fails leaves its steps without runs and counts", "[service][schedule]") {
    JobScene scene;
    const BuildId broken = scene.add_build();
    for (int time = 1; time <= 2; ++time) {
        const JobId job = scene.add_job({broken, scene.add_build()});
        const auto lease = scene.claim(scene.one);
        REQUIRE(lease.has_value());
        auto result = scene.result_of(*lease);
        result.builds[0] = BuildOutcome{};
        result.builds[0].id = broken;
        result.builds[0].message = "error: expected ';'";
        result.runs.erase(result.runs.begin());
        CHECK(scene.finish(*lease, scene.one, result) == Taking::taken);
        CHECK(scene.state(job) == JobState::done);
        CHECK(
            scene.db.find<int>("SELECT failures FROM product WHERE build_id = ?1", broken) == time);
    }
    CHECK(scene.count("run") == 2);
    CHECK(scene.count("event", "kind = 'build.failed'") == 2);
}

TEST_CASE("The first product stays, and another one is told", "[service][schedule]") {
    JobScene scene;
    const BuildId build = scene.add_build();
    scene.add_job({build});
    const auto lost = scene.claim(scene.one);
    REQUIRE(lost.has_value());
    const auto first = scene.result_of(*lost);
    CHECK(scene.finish(*lost, scene.one, first) == Taking::taken);
    scene.add_job({build});
    const auto lease = scene.claim(scene.one);
    REQUIRE(lease.has_value());
    auto second = scene.result_of(*lease);
    second.builds = first.builds;  // built again, with other bytes
    second.builds[0].product = wire::sha256("other bytes");
    CHECK(scene.finish(*lease, scene.one, second) == Taking::taken);
    CHECK(
        scene.db.find<Digest>("SELECT digest FROM product WHERE build_id = ?1", build) ==
        first.builds[0].product);
    CHECK(scene.count("event", "kind = 'product.differs'") == 1);
}

TEST_CASE("A result that does not fit its job is refused", "[service][schedule]") {
    JobScene scene;
    scene.add_job({scene.add_build()});
    const auto lease = scene.claim(scene.one);
    REQUIRE(lease.has_value());
    auto strange = scene.result_of(*lease);
    strange.runs[0].step = 7;
    CHECK_THROWS_AS(scene.finish(*lease, scene.one, strange), Error);
    auto partial = scene.result_of(*lease);
    partial.runs.clear();
    CHECK_THROWS_AS(scene.finish(*lease, scene.one, partial), Error);
    CHECK(scene.finish(*lease, scene.one, scene.result_of(*lease)) == Taking::taken);
}

TEST_CASE("A job lost too often is parked for ever", "[service][schedule]") {
    JobScene scene;
    const JobId job = scene.add_job({scene.add_build()});
    int claims = 0;
    while (scene.state(job) != JobState::parked) {
        REQUIRE(claims < 10);
        const auto worker = claims % 2 == 0 ? scene.one : scene.two;
        REQUIRE(scene.claim(worker).has_value());
        ++claims;
        scene.now_s += scene.config.jobs.lease_ttl_s;
        expire_leases(scene.db, scene.config.jobs, scene.now_s);
    }
    CHECK(claims == scene.config.jobs.max_lost_attempts);
    CHECK_FALSE(scene.claim(scene.one).has_value());
    CHECK(scene.count("event", "kind = 'job.parked'") == 1);
}

void lose(JobScene& scene, WorkerId worker) {
    REQUIRE(scene.claim(worker).has_value());
    scene.now_s += scene.config.jobs.lease_ttl_s;
    scene.show("one");
    expire_leases(scene.db, scene.config.jobs, scene.now_s);
}

TEST_CASE("No job waits for a second worker that is gone", "[service][schedule]") {
    JobScene scene;
    scene.config.jobs.lease_ttl_s = GENERATE(60, 600);
    const JobId job = scene.add_job({scene.add_build()});
    scene.now_s += 600;  // nothing is heard of worker two
    for (int i = 0; i < scene.config.jobs.max_lost_attempts; ++i) {
        CHECK(scene.state(job) == JobState::queued);
        lose(scene, scene.one);
    }
    CHECK(scene.state(job) == JobState::parked);
}

TEST_CASE("A job that a silent worker lost is tried on one that is there", "[service][schedule]") {
    JobScene scene;
    scene.config.jobs.lease_ttl_s = 600;
    const JobId job = scene.add_job({scene.add_build()});
    for (int i = 0; i < scene.config.jobs.max_lost_attempts; ++i) lose(scene, scene.two);
    CHECK(scene.state(job) == JobState::queued);
    lose(scene, scene.one);
    CHECK(scene.state(job) == JobState::parked);
}

}  // namespace
}  // namespace vigil::service
