#include "service/watch/health_checks.hpp"

#include <catch2/catch.hpp>

#include "service/schedule/trigger.hpp"
#include "service/store/troubles.hpp"
#include "service/store/workers.hpp"
#include "tests/support/job_scene.hpp"

namespace vigil::service {
namespace {

using test::JobScene;

std::string open_trouble(Database& db, const std::string& kind) {
    return db
        .find<std::string>("SELECT message FROM trouble WHERE kind = ?1 AND ended_s IS NULL", kind)
        .value_or("");
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST_CASE("Jobs that no worker can serve are told within a minute", "[service][watch]") {
    JobScene scene;
    scene.db.execute("DELETE FROM worker");
    scene.add_job({scene.add_build()});
    const auto begin_s = scene.now_s;
    bool told = false;
    for (; scene.now_s <= begin_s + 60 && !told; scene.now_s += 10) {
        check_health(scene.db, scene.config, scene.now_s);
        told = holds(open_trouble(scene.db, "class.no_workers"), "it has no worker yet");
    }
    CHECK(told);
    check_health(scene.db, scene.config, scene.now_s);
    CHECK(scene.db.find<int>("SELECT count(*) FROM trouble") == 1);

    scene.show("one");
    check_health(scene.db, scene.config, scene.now_s);
    CHECK(open_trouble(scene.db, "class.no_workers").empty());
}

TEST_CASE("A class is told by what its workers are", "[service][watch]") {
    JobScene scene;
    scene.add_job({scene.add_build()});
    scene.now_s += 30;
    check_health(scene.db, scene.config, scene.now_s);
    CHECK(open_trouble(scene.db, "class.no_workers").empty());  // they asked half a minute ago

    scene.now_s += 30;
    scene.db.execute("UPDATE worker SET state = 'quarantined', reason = 'hot' WHERE name = 'one'");
    check_health(scene.db, scene.config, scene.now_s);
    const auto said = open_trouble(scene.db, "class.no_workers");
    CHECK(holds(said, "worker one is quarantined (hot)"));
    CHECK(holds(said, "worker two has not been seen since"));
}

TEST_CASE("A worker that is busy serves its class", "[service][watch]") {
    JobScene scene;
    scene.add_job({scene.add_build()});
    scene.add_job({scene.add_build()});
    REQUIRE(scene.claim(scene.one).has_value());
    scene.now_s += 600;
    check_health(scene.db, scene.config, scene.now_s);
    CHECK(open_trouble(scene.db, "class.no_workers").empty());
}

TEST_CASE("A night that does not come by its deadline is told", "[service][watch]") {
    JobScene scene;
    auto& project = scene.config.projects["toy"];
    project.name = "toy";
    const auto at = [&](std::int64_t later_s) {
        check_health(scene.db, scene.config, scene.now_s + later_s);
        return !open_trouble(scene.db, "night.late").empty();
    };
    CHECK_FALSE(at(10 * project.night_due_s));  // nothing was promised
    project.schedule.emplace();
    CHECK_FALSE(at(project.night_due_s));
    CHECK(at(project.night_due_s + 1));
    // A branch without a new commit is looked at and known: nothing is late.
    scene.db.execute(
        "INSERT INTO nightly(project_id, build_id, version, day, revision, state, created_at_s) "
        "VALUES (?1, ?2, 'v', '2026-01-01', 'r', 'done', 5)",
        scene.project,
        scene.add_build());
    const NightlyId nightly{scene.db.last_insert_id()};
    const auto now_s = scene.now_s + project.night_due_s;
    const auto trigger =
        request_nightly(scene.db, scene.project, TriggerCause::schedule, "schedule:1", {}, now_s);
    end_trigger(scene.db, trigger, {TriggerState::done, "no new nightly", nightly}, now_s);
    CHECK_FALSE(at(project.night_due_s + 2));
    project.source.kind = SourceKind::directory;
    CHECK(at(project.night_due_s + 3));
    project.night_due_s = 0;
    CHECK_FALSE(at(1'000'000'000));
}

TEST_CASE("Troubles of what left the config end", "[service][watch]") {
    JobScene scene;
    scene.config.report_targets["desk"] = {};
    const auto note = [&](const std::string& subject, std::optional<ProjectId> project) {
        note_trouble(
            scene.db,
            {.kind = "thing.wrong", .subject = subject, .project = project, .message = "why"},
            scene.now_s);
    };
    const auto open = [&] {
        std::string subjects;
        for (const auto& one : list_troubles(scene.db)) subjects += one.subject + " ";
        return subjects;
    };
    note("project/toy", scene.project);
    note("target/desk", scene.project);
    note("worker/1", std::nullopt);
    note("config", std::nullopt);
    check_health(scene.db, scene.config, scene.now_s);
    CHECK(open() == "project/toy target/desk worker/1 config ");

    scene.config.workers.erase("one");
    scene.config.report_targets.clear();
    check_health(scene.db, scene.config, scene.now_s);
    CHECK(open() == "project/toy config ");
    scene.config.projects.clear();
    check_health(scene.db, scene.config, scene.now_s);
    CHECK(open() == "config ");
}

TEST_CASE("Jobs of a project that left the config are told once too", "[service][watch]") {
    JobScene scene;
    scene.db.execute("DELETE FROM worker");
    scene.add_job({scene.add_build()});
    scene.config.projects.clear();
    scene.now_s += 60;
    for (int look = 0; look < 3; ++look) check_health(scene.db, scene.config, scene.now_s + look);
    CHECK(scene.db.find<int>("SELECT count(*) FROM trouble") == 1);
    CHECK_FALSE(open_trouble(scene.db, "class.no_workers").empty());
}

TEST_CASE("A source is told once while it fails", "[service][watch]") {
    JobScene scene;
    for (int look = 0; look < 3; ++look) {
        note_source(scene.db, scene.project, "toy", "there is no branch main", scene.now_s + look);
    }
    CHECK(holds(open_trouble(scene.db, "source.failed"), "there is no branch main"));
    CHECK(scene.db.find<int>("SELECT count(*) FROM event WHERE kind = 'source.failed'") == 1);
    note_source(scene.db, scene.project, "toy", std::nullopt, scene.now_s + 9);
    CHECK(open_trouble(scene.db, "source.failed").empty());
}

TEST_CASE("A nightly that lacks a part is told until one is whole", "[service][watch]") {
    JobScene scene;
    const auto note = [&](const std::vector<std::string>& missing) {
        note_incomplete(scene.db, scene.project, "toy", "2.9.dev1", missing, scene.now_s);
    };
    note({"+cu126: not in the index", "+rocm6.4: not in the index"});
    CHECK(holds(
        open_trouble(scene.db, "source.incomplete"),
        "toy: nightly 2.9.dev1 is measured without +cu126: not in the index; +rocm6.4"));
    note({});
    CHECK(open_trouble(scene.db, "source.incomplete").empty());
}

TEST_CASE("A spent budget is a trouble once a day, from the first job that waits", "[watch]") {
    JobScene scene;
    constexpr std::int64_t whole_day_s = 86'400;
    scene.now_s = 20'000 * whole_day_s;
    scene.config.projects["toy"].max_machine_hours_a_day = 1;
    const auto told = [&] {
        check_health(scene.db, scene.config, scene.now_s);
        return open_trouble(scene.db, "budget.spent");
    };
    scene.add_job({scene.add_build()});
    const auto lease = scene.claim(scene.one).value();
    scene.now_s += 3600;
    CHECK(told().empty());  // nothing waits
    const auto waits = scene.add_job({scene.add_build()});
    CHECK(holds(told(), "toy: its machine hours of the day are spent (1.0 of 1 h"));
    scene.db.execute("DELETE FROM job_build WHERE job_id = ?1", waits);
    scene.db.execute("DELETE FROM job WHERE id = ?1", waits);
    CHECK_FALSE(told().empty());
    CHECK(scene.finish(lease, scene.one, scene.result_of(lease)) == Taking::taken);
    scene.now_s = 20'001 * whole_day_s;
    CHECK(told().empty());
    CHECK(scene.count("trouble", "kind = 'budget.spent'") == 1);
}

}  // namespace
}  // namespace vigil::service
