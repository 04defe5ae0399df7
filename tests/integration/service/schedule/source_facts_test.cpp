#include <catch2/catch.hpp>

#include "schema/sql/migrations.hpp"
#include "schema/wire/digest.hpp"
#include "service/schedule/job_queue.hpp"
#include "service/schedule/job_result.hpp"
#include "service/store/work/builds.hpp"
#include "tests/support/job_scene.hpp"

namespace vigil::service {
namespace {

using test::JobScene;

TEST_CASE("A build is told what it would ask git for", "[service][schedule]") {
    JobScene scene;
    auto& recipe = scene.config.projects["toy"].recipe;
    const auto build = scene.add_build(false);
    const auto revision = load_revision(scene.db, build);
    record_source(
        scene.db,
        build,
        {.tree = wire::sha256("tree"),
         .describe = "v1-2-gabc",
         .committed_at_s = 1'763'164'800,
         .notes = ""});
    scene.add_job({build});
    const auto described = GENERATE(as<std::string>{}, "v1-2-gabc", "what the config says");
    if (described != "v1-2-gabc") recipe.environment["VIGIL_DESCRIBE"] = described;
    const auto told = scene.claim(scene.one)->builds.at(0).recipe.environment;
    CHECK(told.at("VIGIL_REVISION") == revision.str());
    CHECK(told.at("VIGIL_DESCRIBE") == described);
    CHECK(told.at("VIGIL_DATE") == "2025-11-15T00:00:00Z");
}

TEST_CASE("A commit of no time on a calendar has none to tell", "[service][schedule]") {
    JobScene scene;
    const auto build = scene.add_build(false);
    const std::int64_t time_s =
        GENERATE(std::int64_t{-1}, std::int64_t{253'402'300'800}, std::int64_t{1} << 62);
    record_source(
        scene.db,
        build,
        {.tree = wire::sha256("tree"), .describe = "v1", .committed_at_s = time_s, .notes = ""});
    scene.add_job({build});
    CHECK(scene.claim(scene.one)->builds.at(0).recipe.environment.count("VIGIL_DATE") == 0);
}

TEST_CASE("A build that fails says what its source tree lacks", "[service][schedule]") {
    JobScene scene;
    const auto build = scene.add_build(false);
    record_source(
        scene.db,
        build,
        {.tree = wire::sha256("tree"),
         .describe = "v1",
         .committed_at_s = 1,
         .notes = "x is empty"});
    scene.add_job({build});
    const auto lease = scene.claim(scene.one);
    auto result = scene.result_of(*lease);
    result.runs.clear();
    result.builds.at(0).built = false;
    result.builds.at(0).product.reset();
    result.builds.at(0).message = "command 1 (make): exit code 2";
    finish_job(
        scene.db,
        scene.config.jobs,
        lease->job,
        lease->attempt,
        scene.one,
        write_result(result),
        scene.now_s);
    CHECK(
        find_build_failure(scene.db, build) ==
        "command 1 (make): exit code 2; of its source tree: x is empty");
}

TEST_CASE("Trees of before are made anew, and products where submodules were empty", "[service]") {
    constexpr int before = 60;
    Database db = Database::open_writer(":memory:");
    for (const auto& migration : sql::migrations()) {
        if (migration.version <= before) db.execute_script(migration.sql);
    }
    db.execute_script("PRAGMA user_version = " + std::to_string(before));
    db.execute_script(R"sql(
INSERT INTO project VALUES (1, 'toy', 1000);
INSERT INTO build(id, project_id, revision, input_kind, input_digest, created_at_s) VALUES
    (1, 1, 'a', 'source_tree', 'x', 1), (2, 1, 'b', 'source_tree', 'y', 1),
    (3, 1, 'c', 'archive', 'z', 1);
INSERT INTO product(build_id, recipe_digest, toolchain, state, digest, duration_ns, created_at_s)
    VALUES (1, 'r', 't', 'built', 'p', 1, 1), (2, 'r', 't', 'built', 'q', 1, 1);
)sql");
    CHECK(migrate(db) > 0);
    CHECK(db.find<int>("SELECT count(*) FROM build WHERE input_digest IS NULL") == 2);
    NewSource source{
        .tree = wire::sha256("tree"),
        .describe = "v1",
        .committed_at_s = 1,
        .notes = "",
        .has_submodules = true};
    record_source(db, BuildId{1}, source);
    source.has_submodules = false;
    record_source(db, BuildId{2}, source);
    CHECK(db.find<int>("SELECT build_id FROM product") == 2);
    // Once is enough: a tree that was forgotten and comes back takes no product away.
    db.execute_script(
        "INSERT INTO product(build_id, recipe_digest, toolchain, state, digest, duration_ns, "
        "created_at_s) VALUES (1, 'r', 't', 'built', 'p', 1, 1);"
        "UPDATE build SET input_digest = NULL WHERE id = 1");
    source.has_submodules = true;
    record_source(db, BuildId{1}, source);
    CHECK(db.find<int>("SELECT count(*) FROM product") == 2);
}

}  // namespace
}  // namespace vigil::service
