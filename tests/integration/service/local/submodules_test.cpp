#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "schema/model/error.hpp"
#include "service/local/answer.hpp"
#include "service/local/bisect.hpp"
#include "service/local/compare.hpp"
#include "tests/integration/service/local/small_repository.hpp"

using namespace vigil;
using namespace vigil::local;
using namespace vigil::local::test;
using Catch::Contains;
using vigil::test::ScratchFolder;

namespace {

namespace fs = std::filesystem;

/// A project whose value is a submodule's of a submodule; each commit moves its pin.
struct ModuleScene {
    ScratchFolder folder;
    SmallRepository inner;
    SmallRepository lib;
    SmallRepository project;

    explicit ModuleScene(const std::vector<int>& values)
        : inner(folder / "inner", values),
          lib(folder / "lib", {}),
          project(folder / "project", {}) {
        const auto count = static_cast<int>(values.size());
        for (int i = 0; i < count; ++i) {
            pin(lib, inner, "inner", "../inner", "HEAD~" + std::to_string(count - 1 - i));
            project.write("build.sh", "mkdir -p out && cp third/lib/inner/value out/\n");
            pin(project, lib, "third/lib", "../lib", "HEAD");
        }
    }

    static void pin(
        const SmallRepository& in,
        const SmallRepository& of,
        const std::string& path,
        const std::string& url,
        const std::string& commit) {
        in.write(
            ".gitmodules",
            "[submodule \"" + path + "\"]\n\tpath = " + path + "\n\turl = " + url + "\n");
        in.git("add -A");
        in.git(
            "update-index --add --cacheinfo 160000," + of.ask("rev-parse " + commit) + "," + path);
        in.git("commit -q -m pin");
    }
    LocalRequest request(int back) const { return request_on(project, folder / "state", back); }
};

}  // namespace

TEST_CASE("A comparison builds commits with their submodules", "[service][local]") {
    ModuleScene scene({1000, 1150});
    Scene world;
    auto request = scene.request(1);
    request.order.outputs = {"out"};
    const auto result = compare(request, world.world);
    CHECK(result.judgement.verdict == Verdict::regression);
    CHECK(scene.project.ask("worktree list | wc -l") == "1");
    CHECK(scene.project.ask("config --get-regexp submodule || true").empty());
    CHECK_FALSE(fs::exists(scene.project.folder() / ".git/modules"));
}

TEST_CASE("A commit that only moves a submodule is searched inside of it", "[service][local]") {
    ModuleScene scene({1000});
    // The library jumps over six commits at once, of which one is slow.
    scene.lib.git("rm -q --cached inner");
    scene.project.write("build.sh", "mkdir -p out && cp third/lib/value out/\n");
    scene.lib.write("value", "1000\n");
    scene.lib.commit("before");
    ModuleScene::pin(scene.project, scene.lib, "third/lib", "../lib", "HEAD");
    for (int i = 0; i < 6; ++i) {
        scene.lib.write("value", i >= 3 ? "1150\n" : "1000\n");
        scene.lib.write("note", std::to_string(i));
        scene.lib.commit("library change " + std::to_string(i));
    }
    scene.project.write("docs", "more");
    ModuleScene::pin(scene.project, scene.lib, "third/lib", "../lib", "HEAD~6");
    ModuleScene::pin(scene.project, scene.lib, "third/lib", "../lib", "HEAD");
    scene.project.write("docs", "even more");
    ModuleScene::pin(scene.project, scene.lib, "third/lib", "../lib", "HEAD");
    // In one go, and again from where it was stopped.
    const auto lines = GENERATE(0, 20, 30, 40);
    Scene world;
    world.lines.stop_after(lines);
    if (lines > 0) bisect(scene.request(3), world.world);
    Scene again;
    const auto result = bisect(scene.request(3), again.world);
    CHECK(result.story.revision(2).str() == scene.project.ask("rev-parse HEAD~1"));
    CHECK(result.decision.endings[0].first == 2);
    REQUIRE(result.inside.size() == 1);
    const auto& inside = result.inside[0];
    CHECK(inside.story.start().inside->submodule == "third/lib");
    REQUIRE(inside.decision.endings[0].ending == search::Ending::culprit);
    const auto first = inside.decision.endings[0].first;
    CHECK(inside.story.suspect(first).subject == "library change 3");
    const auto text = answer_text(result);
    CHECK_THAT(text, Contains("which moves the submodule third/lib over 6 commits"));
    CHECK_THAT(text, Contains("library change 3"));
    const auto json = answer_json(result);
    CHECK(json.at("culprit") == scene.project.ask("rev-parse HEAD~1"));
    CHECK(json.at("inside")[0].at("submodule") == "third/lib");
    CHECK(json.at("inside")[0].at("first").at("revision") == scene.lib.ask("rev-parse HEAD~2"));
    CHECK(scene.project.ask("worktree list | wc -l") == "1");
}

TEST_CASE("A search goes through commits that move a submodule", "[service][local]") {
    ModuleScene scene(step_at(5, 3));
    Scene world;
    const auto result = bisect(scene.request(5), world.world);
    REQUIRE(result.decision.endings.size() == 1);
    CHECK(result.decision.endings[0].ending == search::Ending::culprit);
    CHECK(result.decision.endings[0].first == 3);
}

TEST_CASE("What the user's clone has of a submodule is not fetched", "[service][local]") {
    ModuleScene scene({1000, 1150});
    scene.project.git(
        "-c protocol.file.allow=always submodule --quiet update --init --recursive 2> /dev/null");
    fs::remove_all(scene.lib.folder());
    fs::remove_all(scene.inner.folder());
    Scene world;
    CHECK(compare(scene.request(1), world.world).judgement.verdict == Verdict::regression);
}

TEST_CASE("A build whose submodule cannot be had says so", "[service][local]") {
    ModuleScene scene({1000, 1150});
    fs::remove_all(scene.inner.folder());
    Scene world;
    CHECK_THROWS_WITH(
        compare(scene.request(1), world.world),
        Contains("submodule \"third/lib\" cannot be had: submodule \"inner\" cannot be had"));
}

TEST_CASE("A build is told the version of its commit", "[service][local]") {
    const ScratchFolder folder;
    const SmallRepository repository(folder / "repo", {1000, 1150});
    repository.git("tag v1 HEAD~1");
    auto request = request_on(repository, folder / "state", 1);
    const auto told = (folder / "told").string();
    request.order.build =
        "echo $VIGIL_REVISION $VIGIL_DESCRIBE $VIGIL_DATE >> " + told + "; sh build.sh";
    Scene scene;
    compare(request, scene.world);
    const auto good = repository.ask("rev-parse HEAD~1");
    const auto bad = repository.ask("rev-parse HEAD");
    const auto text = vigil::test::content_of(told);
    CHECK_THAT(text, Contains(good + " v1 20"));
    CHECK_THAT(text, Contains(bad + " v1-1-g" + bad.substr(0, 10) + " 20") && Contains("Z\n"));
}
