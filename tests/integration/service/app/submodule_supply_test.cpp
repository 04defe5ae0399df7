#include <catch2/catch.hpp>

#include "service/store/work/builds.hpp"
#include "service/store/work/jobs.hpp"
#include "supply_scene.hpp"

namespace vigil::service {
namespace {

using Catch::Contains;

TEST_CASE("A build whose submodule cannot be had says which and why", "[service][app]") {
    SupplyScene scene;
    scene.origin.write("lib.h", "int lib;");
    const auto pin = scene.origin.commit("lib");
    const auto pinned = [&](const Revision& at, const std::string& url) {
        scene.origin.write(".gitmodules", "[submodule \"l\"]\npath = lib\nurl = " + url + "\n");
        scene.origin.git("add .gitmodules");
        scene.origin.git("update-index --add --cacheinfo 160000," + at.str() + ",lib");
        scene.origin.git("commit -q -m pinned");
        return scene.origin.revision("HEAD");
    };
    const auto other = scene.scratch / "other";
    std::filesystem::copy(scene.origin.folder(), other, std::filesystem::copy_options::recursive);
    const auto bad = pinned(Revision(std::string(40, '1')), "../other");
    const auto good = pinned(pin, "../other");
    scene.add("demo", scene.origin.folder().string());
    const auto wanted = [&](const Revision& revision) {
        auto db = Database::open_writer(scene.ledger());
        const auto project = *db.find<ProjectId>("SELECT id FROM project");
        const auto build = ensure_source_build(db, project, revision, 1);
        NewJob job;
        job.project = project;
        job.machine_class = ensure_machine_class(db, "small");
        job.builds = {build};
        add_job(db, job, 1);
        return build;
    };
    const auto failed = wanted(bad);
    scene.play_until([&](Database& db) {
        return !db.find<std::string>("SELECT input_error FROM build WHERE id = ?1", failed)
                    ->empty();
    });
    {
        auto db = Database::open_reader(scene.ledger());
        const auto why = *db.find<std::string>("SELECT message FROM job WHERE state = 'failed'");
        CHECK_THAT(why, Contains("submodule \"lib\" cannot be had: commit 1111111111"));
        CHECK_THAT(why, !Contains(scene.scratch.path().string()));
    }
    REQUIRE(scene.troubles().size() == 1);
    CHECK(scene.troubles()[0].kind == "submodule.missing");
    CHECK(scene.troubles()[0].subject == "project/demo/lib");
    CHECK_THAT(scene.troubles()[0].message, !Contains(scene.scratch.path().string()));

    scene.supplies.clear();
    scene.add("demo", scene.origin.folder().string());
    const auto made = wanted(good);
    scene.play_until([&](Database& db) {
        return db.has("SELECT 1 FROM build WHERE id = ?1 AND input_digest IS NOT NULL", made);
    });
    CHECK(scene.troubles().empty());
}

TEST_CASE("A submodule's server that is silent keeps no other tree waiting", "[service][app]") {
    SupplyScene scene;
    const auto plain = scene.origin.revision("HEAD");
    scene.origin.write(
        ".gitmodules", "[submodule \"l\"]\npath = lib\nurl = http://127.0.0.1:1/l\n");
    scene.origin.git("add .gitmodules");
    scene.origin.git("update-index --add --cacheinfo 160000," + plain.str() + ",lib");
    scene.origin.git("commit -q -m pinned");
    scene.add("demo", scene.origin.folder().string());
    BuildId waiting;
    BuildId made;
    {
        auto db = Database::open_writer(scene.ledger());
        const auto project = *db.find<ProjectId>("SELECT id FROM project");
        waiting = ensure_source_build(db, project, scene.origin.revision("HEAD"), 1);
        made = ensure_source_build(db, project, plain, 1);
        NewJob job;
        job.project = project;
        job.machine_class = ensure_machine_class(db, "small");
        job.builds = {waiting, made};
        add_job(db, job, 1);
    }
    scene.play_until([&](Database& db) {
        return db.has("SELECT 1 FROM build WHERE id = ?1 AND input_digest IS NOT NULL", made);
    });
    auto db = Database::open_reader(scene.ledger());
    CHECK(db.has("SELECT 1 FROM build WHERE id = ?1 AND input_error = ''", waiting));
    CHECK(db.has("SELECT 1 FROM event WHERE kind = 'submodule.missing'"));
}

}  // namespace
}  // namespace vigil::service
