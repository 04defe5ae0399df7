#include <catch2/catch.hpp>

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

}  // namespace
}  // namespace vigil::service
