#include <catch2/catch.hpp>

#include "service/schedule/job_queue.hpp"
#include "tests/support/job_scene.hpp"

namespace vigil::service {
namespace {

using test::JobScene;

constexpr std::int64_t whole_day_s = 86'400;

/// Two projects on one machine class: `toy` of the scene, and `lab`.
struct TwoProjects : JobScene {
    ProjectId lab;

    TwoProjects() {
        now_s = 20'000 * whole_day_s;
        config.projects["lab"] = config.projects["toy"];
        lab = ensure_project(db, "lab", now_s);
    }

    JobId add(ProjectId whose, Purpose purpose, Priority priority) {
        const auto mine = project;
        project = whose;
        const auto job = add_job({add_build()}, static_cast<int>(priority));
        project = mine;
        db.execute("UPDATE job SET purpose = ?2 WHERE id = ?1", job, purpose);
        return job;
    }

    /// A worker claims a job and has it for so long.
    JobRow play(WorkerId worker, std::int64_t took_s) {
        const auto lease = claim(worker).value();
        const auto job = load_job(db, lease.job);
        now_s += took_s;
        CHECK(finish(lease, worker, result_of(lease)) == Taking::taken);
        return job;
    }
};

TEST_CASE(
    "A confirmation and a search come before the rest of another project's night",
    "[service][schedule]") {
    TwoProjects scene;
    for (int i = 0; i < 5; ++i) scene.add(scene.lab, Purpose::nightly, Priority::nightly);
    CHECK(scene.play(scene.one, 600).project == scene.lab);
    const auto probe = scene.add(scene.project, Purpose::probe, Priority::probe);
    const auto confirm = scene.add(scene.project, Purpose::confirm, Priority::confirm);
    CHECK(scene.play(scene.one, 600).id == confirm);
    CHECK(scene.play(scene.one, 600).id == probe);
    for (int i = 0; i < 4; ++i) CHECK(scene.play(scene.one, 600).project == scene.lab);
    CHECK_FALSE(scene.claim(scene.one));
}

TEST_CASE(
    "Searches without an end leave a quarter of a machine to another night",
    "[service][schedule]") {
    TwoProjects scene;
    constexpr int night_jobs = 300;
    constexpr std::int64_t probe_takes_s = 720;
    for (int i = 0; i < night_jobs; ++i) {
        scene.add(scene.lab, Purpose::nightly, Priority::nightly);
    }
    scene.add(scene.project, Purpose::probe, Priority::probe);
    std::int64_t searched_s = 0;
    std::int64_t measured_s = 0;
    const auto end_s = scene.now_s + whole_day_s - 3600;
    while (scene.now_s < end_s) {
        const bool is_probe = scene.count("job", "state = 'queued' AND purpose = 'probe'") > 0;
        REQUIRE(is_probe);  // the search never lets the queue be empty
        const auto lease = scene.claim(scene.one).value();
        const bool is_search = load_job(scene.db, lease.job).project == scene.project;
        const auto took_s = is_search ? probe_takes_s : 90;
        (is_search ? searched_s : measured_s) += took_s;
        scene.now_s += took_s;
        CHECK(scene.finish(lease, scene.one, scene.result_of(lease)) == Taking::taken);
        if (is_search) scene.add(scene.project, Purpose::probe, Priority::probe);
        if (searched_s <= 2 * 3600) CHECK(measured_s == 0);  // its head start
    }
    const auto share =
        static_cast<double>(measured_s) / static_cast<double>(searched_s + measured_s);
    CHECK(share > 0.20);
    CHECK(share < 0.26);
}

TEST_CASE("Two nights share a class by turns, whichever was first", "[service][schedule]") {
    TwoProjects scene;
    for (int i = 0; i < 4; ++i) scene.add(scene.lab, Purpose::nightly, Priority::nightly);
    scene.add(scene.project, Purpose::nightly, Priority::nightly);
    CHECK(scene.play(scene.one, 600).project == scene.lab);
    CHECK(scene.play(scene.one, 600).project == scene.project);
    CHECK(scene.play(scene.one, 600).project == scene.lab);
}

TEST_CASE("A project whose jobs cannot begin hides no other's", "[service][schedule]") {
    TwoProjects scene;
    for (int i = 0; i < 250; ++i) {
        const auto job = scene.add(scene.lab, Purpose::nightly, Priority::nightly);
        scene.db.execute(
            "UPDATE build SET input_digest = NULL WHERE id = (SELECT build_id FROM job_build "
            "WHERE job_id = ?1)",
            job);
    }
    const auto ready = scene.add(scene.project, Purpose::nightly, Priority::nightly);
    CHECK(scene.play(scene.one, 1).id == ready);
}

TEST_CASE(
    "A project whose machine hours are spent waits for the next day, another one does not",
    "[service][schedule]") {
    TwoProjects scene;
    scene.config.projects["toy"].max_machine_hours_a_day = 4;
    for (int i = 0; i < 3; ++i) scene.add(scene.project, Purpose::nightly, Priority::nightly);
    CHECK(scene.play(scene.one, 3 * 3600).project == scene.project);
    const auto running = scene.claim(scene.one).value();  // within the budget when it begins
    scene.now_s += 3600;
    CHECK_FALSE(scene.claim(scene.two));  // what goes on counts, too
    CHECK(load_job(scene.db, running.job).state == JobState::leased);
    const auto confirm = scene.add(scene.project, Purpose::confirm, Priority::confirm);
    CHECK(scene.play(scene.two, 1800).id == confirm);
    CHECK(scene.finish(running, scene.one, scene.result_of(running)) == Taking::taken);
    scene.add(scene.project, Purpose::confirm, Priority::confirm);
    CHECK_FALSE(scene.claim(scene.two));  // a quarter beyond the budget is used, too
    const auto other = scene.add(scene.lab, Purpose::nightly, Priority::nightly);
    CHECK(scene.play(scene.two, 60).id == other);
    scene.now_s = 20'001 * whole_day_s - 1;
    CHECK_FALSE(scene.claim(scene.two));
    scene.now_s += 1;
    CHECK(scene.play(scene.two, 60).purpose == Purpose::confirm);
    CHECK(scene.play(scene.two, 60).purpose == Purpose::nightly);
}

TEST_CASE("A job that a budget held back for a day says so at its end", "[service][schedule]") {
    TwoProjects scene;
    scene.config.projects["toy"].max_machine_hours_a_day = 1;
    scene.add(scene.project, Purpose::nightly, Priority::nightly);
    CHECK(cancel_unclaimed(scene.db, scene.config, scene.now_s) == 0);
    scene.now_s += whole_day_s;
    scene.add(scene.project, Purpose::nightly, Priority::confirm);
    scene.play(scene.one, 3600);
    CHECK(cancel_unclaimed(scene.db, scene.config, scene.now_s) == 1);
    CHECK(
        scene.db.find<std::string>("SELECT message FROM job WHERE state = 'cancelled'") ==
        "no worker of its machine class did it within a day, while its project's machine hours of "
        "the day were spent");
}

}  // namespace
}  // namespace vigil::service
