#include <catch2/catch.hpp>

#include "schema/model/error.hpp"
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
