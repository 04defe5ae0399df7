#include "service/schedule/build_jobs.hpp"

#include <catch2/catch.hpp>

#include "service/schedule/leases.hpp"
#include "tests/support/job_scene.hpp"

namespace vigil::service {
namespace {

using test::JobScene;

/// Worker one measures for class `cpu`; worker four is of a class that builds for it.
struct BuildScene : JobScene {
    WorkerId four;

    BuildScene() {
        config.machine_classes["builders"];
        config.machine_classes["cpu"].build_class = "builders";
        config.workers["four"] = {"builders"};
        four = show("four");
    }

    int plan() { return plan_builds(db, config, now_s); }

    std::optional<JobRow> build_job() {
        const auto id = db.find<JobId>(
            "SELECT id FROM job WHERE machine_class_id = (SELECT id FROM machine_class "
            "WHERE name = 'builders') ORDER BY id DESC LIMIT 1");
        if (!id) return std::nullopt;
        return load_job(db, *id);
    }

    /// The builder does the job that waits.
    void build(bool works = true) {
        const auto lease = claim(four).value();
        CHECK(lease.plan.steps.empty());
        CHECK(lease.builds.at(0).build_here);
        auto result = result_of(lease);
        for (auto& outcome : result.builds) {
            if (works) continue;
            outcome.built = false;
            outcome.product.reset();
            outcome.message = "no such file";
        }
        CHECK(finish(lease, four, result) == Taking::taken);
    }
};

TEST_CASE("One class builds, another one measures", "[service][schedule]") {
    BuildScene scene;
    const auto build = scene.add_build();
    scene.add_job({build});
    scene.add_job({build}, 70);
    CHECK_FALSE(scene.claim(scene.one));  // it would have to build
    CHECK(scene.plan() == 1);
    CHECK(scene.plan() == 0);
    CHECK(
        scene.db.find<int>("SELECT priority FROM job WHERE id = ?1", scene.build_job()->id) == 70);
    CHECK_FALSE(scene.claim(scene.one));
    scene.build();
    CHECK_FALSE(scene.claim(scene.four));  // what is left is measuring
    for (int i = 0; i < 2; ++i) {
        const auto lease = scene.claim(scene.one).value();
        CHECK(lease.builds.at(0).product);
        CHECK_FALSE(lease.builds.at(0).build_here);
        CHECK(scene.finish(lease, scene.one, scene.result_of(lease)) == Taking::taken);
    }
    CHECK(scene.plan() == 0);
    CHECK(scene.count("attempt", "worker_id = " + to_string(scene.four)) == 1);
    CHECK(scene.count("run") == 2);
}

TEST_CASE("A build job is as urgent as the newest need of it", "[service][schedule]") {
    BuildScene scene;
    const auto build = scene.add_build();
    scene.add_job({build}, 50);
    CHECK(scene.plan() == 1);
    scene.add_job({build}, 80);
    CHECK(scene.plan() == 0);
    CHECK(
        scene.db.find<int>("SELECT priority FROM job WHERE id = ?1", scene.build_job()->id) == 80);
}

TEST_CASE("What fails twice on the class that builds is not measured", "[service][schedule]") {
    BuildScene scene;
    const auto bad = scene.add_build();
    const auto good = scene.add_build();
    const auto job = scene.add_job({bad, good});
    CHECK(scene.plan() == 2);
    scene.build(false);
    scene.build();
    CHECK(scene.plan() == 1);
    CHECK_FALSE(scene.claim(scene.one));
    scene.build(false);
    CHECK(scene.plan() == 0);
    const auto lease = scene.claim(scene.one).value();
    REQUIRE(lease.job == job);
    CHECK_FALSE(lease.builds.at(0).product);
    CHECK_FALSE(lease.builds.at(0).build_here);
    auto result = scene.result_of(lease);
    result.builds.clear();
    result.runs.erase(result.runs.begin());  // the step of the build that failed
    CHECK(scene.finish(lease, scene.one, result) == Taking::taken);
    CHECK(scene.db.find<int>("SELECT failures FROM product WHERE state = 'failed'") == 2);
}

TEST_CASE("A build that is given up ends the jobs that waited for it", "[service][schedule]") {
    BuildScene scene;
    const auto build = scene.add_build();
    const auto job = scene.add_job({build});
    CHECK(scene.plan() == 1);
    move_job(scene.db, *scene.build_job(), {.to = JobState::failed, .ended_at_s = scene.now_s});
    CHECK(scene.plan() == 0);
    CHECK(scene.state(job) == JobState::failed);
    const auto later = scene.add_job({build});
    CHECK(scene.plan() == 1);
    scene.build();
    CHECK(scene.claim(scene.one)->job == later);
}

TEST_CASE("A machine of another toolchain builds nothing for a class", "[service][schedule]") {
    BuildScene scene;
    scene.show("four", "gcc 13");
    scene.add_job({scene.add_build()});
    CHECK(scene.plan() == 1);
    CHECK_FALSE(scene.claim(scene.four));
    CHECK(why_useless(scene.db, scene.config, "builders", "gcc 13"));
    CHECK_FALSE(why_useless(scene.db, scene.config, "builders", "gcc"));
    CHECK_FALSE(why_useless(scene.db, scene.config, "cpu", "gcc 13"));
    for (const auto* name : {"one", "two"}) scene.show(name, "gcc 13");
    scene.build();
    CHECK(scene.claim(scene.one));
}

TEST_CASE("A class that builds never measures, whatever waits for it", "[service][schedule]") {
    BuildScene scene;
    scene.machine_class = ensure_machine_class(scene.db, "builders");
    scene.add_job({scene.add_build()});  // of before its class became one that builds
    CHECK_FALSE(scene.claim(scene.four));
}

}  // namespace
}  // namespace vigil::service
