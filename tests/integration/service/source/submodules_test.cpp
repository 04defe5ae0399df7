#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "git_repository.hpp"
#include "schema/archive/archive.hpp"
#include "schema/wire/json.hpp"
#include "service/source/source_tree.hpp"
#include "service/source/temporary_file.hpp"
#include "service/store/content_store.hpp"
#include "tests/support/scratch_folder.hpp"

namespace fs = std::filesystem;
using namespace vigil;
using namespace vigil::service;
using Catch::Contains;
using test::GitRepository;

namespace {

/// A project `origin` and libraries beside it, as real repositories.
struct ModuleScene {
    test::ScratchFolder scratch;
    GitRepository origin{scratch.path() / "origin"};
    GitRepository lib{scratch.path() / "lib"};
    ContentStore content{scratch.path() / "content"};
    std::string modules;  ///< of origin

    ModuleScene() {
        lib.write("lib.h", "int lib;\n");
        lib.commit("lib");
    }

    static std::string entry(const std::string& path, const std::string& url) {
        return "[submodule \"" + path + "\"]\n\tpath = " + path + "\n\turl = " + url + "\n";
    }
    static void pin(GitRepository& in, const std::string& path, const Revision& revision) {
        in.git("update-index --add --cacheinfo 160000," + revision.str() + ",'" + path + "'");
    }
    /// A commit of the files in the index: a work tree of submodules is not needed.
    static Revision commit_index(GitRepository& in, const std::string& modules) {
        in.write(".gitmodules", modules);
        in.git("add .gitmodules");
        in.git("commit -q --allow-empty -m pins");
        return in.revision("HEAD");
    }
    Revision add(const std::string& path, const std::string& url, const Revision& revision) {
        pin(origin, path, revision);
        modules += entry(path, url);
        return commit_index(origin, modules);
    }
    SourceTree export_tree(const Revision& revision) {
        auto clone = GitClone::open_or_clone(scratch.path() / "demo.git", origin.folder().string());
        clone.fetch();
        SubmoduleMirrors mirrors(scratch.path() / "demo.modules");
        return export_source_tree(clone, revision, content, mirrors);
    }
    fs::path unpacked(const SourceTree& tree) const {
        REQUIRE(tree.missing.empty());
        const auto folder = scratch.path() / ("tree-" + tree.digest.brief());
        if (!fs::exists(folder)) archive::unpack(content.path(tree.digest), folder);
        return folder;
    }
    MissingSubmodule missing(const Revision& revision) {
        const auto tree = export_tree(revision);
        REQUIRE(tree.missing.size() == 1);
        CHECK(tree.digest.empty());
        return tree.missing[0];
    }
};

}  // namespace

TEST_CASE("The trees of submodules are in the project's tree", "[service][source]") {
    ModuleScene scene;
    GitRepository deep(scene.scratch.path() / "deep");
    deep.write("deep.h", "int deep;\n");
    ModuleScene::pin(scene.lib, "inner", deep.commit("deep"));
    const auto lib = ModuleScene::commit_index(scene.lib, ModuleScene::entry("inner", "../deep"));
    scene.origin.write("main.c", "int main;\n");
    scene.origin.commit("main");
    const auto revision = scene.add("third/lib", "../lib", lib);

    const auto tree = scene.export_tree(revision);
    const auto folder = scene.unpacked(tree);
    CHECK(text_of_file(folder / "main.c") == "int main;\n");
    CHECK(text_of_file(folder / "third/lib/lib.h") == "int lib;\n");
    CHECK(text_of_file(folder / "third/lib/inner/deep.h") == "int deep;\n");
    CHECK(tree.submodules == std::vector<std::string>{"third/lib", "third/lib/inner"});
    CHECK(tree.notes.empty());
    const auto said = wire::parse_json(text_of_file(folder / source_file), "file");
    CHECK(said["tree"] == scene.origin.git("rev-parse HEAD^{tree}"));
    CHECK(said["submodules"][0]["path"] == "third/lib");
    CHECK(said["submodules"][0]["revision"] == lib.str());
    CHECK(said["submodules"][1]["path"] == "third/lib/inner");

    // Equal trees are one content, whatever their commits; another pin is another one.
    scene.origin.git("commit -q --allow-empty -m empty");
    CHECK(scene.export_tree(scene.origin.revision("HEAD")).digest == tree.digest);
    scene.lib.write("lib.h", "int other;\n");
    scene.lib.git("add lib.h");
    scene.lib.git("commit -q -m other");
    ModuleScene::pin(scene.origin, "third/lib", scene.lib.revision("HEAD"));
    const auto moved = scene.export_tree(ModuleScene::commit_index(scene.origin, scene.modules));
    CHECK(text_of_file(scene.unpacked(moved) / "third/lib/lib.h") == "int other;\n");
    CHECK(moved.digest != tree.digest);
}

TEST_CASE("A commit is found whatever became of its address", "[service][source]") {
    ModuleScene scene;
    const auto pin = scene.lib.revision("HEAD");
    const auto old = scene.add("lib", "../lib", pin);
    scene.unpacked(scene.export_tree(old));
    // Renamed: the old address is gone, and its mirror is too.
    fs::rename(scene.lib.folder(), scene.scratch.path() / "renamed");
    fs::remove_all(scene.scratch.path() / "demo.modules");
    CHECK_THAT(scene.missing(old).why, Contains("no such folder"));
    scene.modules = ModuleScene::entry("lib", "../renamed");
    const auto renamed = ModuleScene::commit_index(scene.origin, scene.modules);
    scene.unpacked(scene.export_tree(renamed));
    CHECK(fs::exists(scene.unpacked(scene.export_tree(old)) / "lib/lib.h"));
    // Removed altogether: what is mirrored stays.
    fs::remove_all(scene.scratch.path() / "renamed");
    CHECK(fs::exists(scene.unpacked(scene.export_tree(renamed)) / "lib/lib.h"));
}

TEST_CASE("A commit on no branch is fetched by its hash", "[service][source]") {
    ModuleScene scene;
    scene.add("lib", "../lib", scene.lib.revision("HEAD"));
    scene.unpacked(scene.export_tree(scene.origin.revision("HEAD")));
    scene.lib.write("lib.h", "int proposed;\n");
    const auto proposed = scene.lib.commit("proposed");
    scene.lib.git("reset -q --hard HEAD^");
    ModuleScene::pin(scene.origin, "lib", proposed);
    const auto revision = ModuleScene::commit_index(scene.origin, scene.modules);
    CHECK(
        text_of_file(scene.unpacked(scene.export_tree(revision)) / "lib/lib.h") ==
        "int proposed;\n");
}

TEST_CASE("A submodule that cannot be had is named with the reason", "[service][source]") {
    ModuleScene scene;
    const auto pin = scene.lib.revision("HEAD");
    SECTION("vanished") {
        const auto gone =
            scene.missing(scene.add("a/lib", "../lib", Revision(std::string(40, '1'))));
        CHECK(gone.path == "a/lib");
        CHECK(gone.code == Errc::not_found);
        CHECK_THAT(gone.why, Contains(std::string(40, '1')) && Contains("or not any more"));
    }
    SECTION("of itself") {
        CHECK_THAT(
            scene.missing(scene.add("self", "../origin/", pin)).why,
            Contains("a submodule of itself"));
    }
    SECTION("of a kind that is not fetched") {
        CHECK_THAT(
            scene.missing(scene.add("lib", "ext::sh -c id", pin)).why, Contains("not fetched"));
    }
    SECTION("with a path that leaves the tree") {
        scene.modules = ModuleScene::entry("../up", "../lib");
        const auto bad = scene.missing(scene.add("lib", "../lib", pin));
        CHECK(bad.path == ".gitmodules");
        CHECK_THAT(bad.why, Contains("\"../up\""));
    }
    SECTION("a server that does not answer may answer later") {
        const auto later = scene.missing(scene.add("lib", "http://127.0.0.1:1/lib", pin));
        CHECK(later.code == Errc::unavailable);
    }
    SECTION("a .gitmodules that is a link") {
        scene.origin.write(
            "../listing",
            "120000 blob " + scene.origin.git("hash-object -w ../lib/lib.h") + "\t.gitmodules\n");
        const auto listed = scene.origin.git("mktree < ../listing");
        const auto commit = scene.origin.git("commit-tree -m link " + listed);
        scene.origin.git("update-ref refs/heads/main " + commit);
        CHECK(scene.missing(Revision(commit)).path == ".gitmodules");
    }
}

TEST_CASE("What git leaves empty stays empty, and is said", "[service][source]") {
    ModuleScene scene;
    const auto pin = scene.lib.revision("HEAD");
    ModuleScene::pin(scene.origin, "stray", pin);
    scene.modules = ModuleScene::entry("removed", "../removed");
    scene.modules += "[submodule \"data\"]\n\tpath = data\n\turl = ../lib\n\tupdate = none\n";
    ModuleScene::pin(scene.origin, "data", pin);
    const auto tree = scene.export_tree(ModuleScene::commit_index(scene.origin, scene.modules));
    REQUIRE(tree.notes.size() == 2);
    CHECK_THAT(tree.notes[0], Contains("\"data\" has \"update = none\""));
    CHECK_THAT(tree.notes[1], Contains("\"stray\" has no entry"));
    const auto folder = scene.unpacked(tree);
    CHECK(fs::is_empty(folder / "stray"));
    CHECK(fs::is_empty(folder / "data"));
    const auto said = wire::parse_json(text_of_file(folder / source_file), "file");
    CHECK(said["notes"].size() == 2);
}

TEST_CASE("Submodules nest eight deep and no deeper", "[service][source]") {
    ModuleScene scene;
    Revision pin = scene.lib.revision("HEAD");
    std::string below = "../lib";
    for (int level = 8; level >= 1; --level) {
        const auto name = "level" + std::to_string(level);
        GitRepository repository(scene.scratch.path() / name);
        ModuleScene::pin(repository, "next", pin);
        pin = ModuleScene::commit_index(repository, ModuleScene::entry("next", below));
        below = "../" + name;
        if (level == 2) scene.unpacked(scene.export_tree(scene.add("ok", below, pin)));
    }
    const auto deep = scene.missing(scene.add("deep", below, pin));
    CHECK(deep.path == "deep/next/next/next/next/next/next/next/next");
    CHECK_THAT(deep.why, Contains("more than 8 submodules deep"));
}

TEST_CASE("A tree has at most five hundred submodules", "[service][source]") {
    ModuleScene scene;
    const auto pin = scene.lib.revision("HEAD");
    std::string listing;
    for (int i = 0; i < 501; ++i) {
        const auto path = "m" + std::to_string(i);
        listing += "160000 " + pin.str() + "\t" + path + "\n";
        scene.modules += ModuleScene::entry(path, "../lib");
    }
    scene.origin.write("../listing", listing);
    scene.origin.git("update-index --add --index-info < ../listing");
    const auto revision = ModuleScene::commit_index(scene.origin, scene.modules);
    CHECK_THAT(scene.missing(revision).why, Contains("more than 500 submodules"));
}

TEST_CASE("The mirrors of one project's submodules have their room", "[service][source]") {
    ModuleScene scene;
    const auto pin = scene.lib.revision("HEAD");
    const auto folder = scene.scratch.path() / "demo.modules";
    GitLimits limits;
    limits.max_bytes = 16 << 10;
    fs::create_directories(folder);
    std::ofstream(folder / "taken") << std::string(64 << 10, 'x');  // by other mirrors
    CHECK_THROWS_WITH(
        SubmoduleMirrors(folder, limits).with(scene.lib.folder().string(), pin),
        Contains("more than 65536 bytes"));
    limits.max_bytes = 1 << 20;
    CHECK_NOTHROW(SubmoduleMirrors(folder, limits).with(scene.lib.folder().string(), pin));
    // What is there needs no room.
    limits.max_bytes = 16 << 10;
    CHECK_NOTHROW(SubmoduleMirrors(folder, limits).with(scene.lib.folder().string(), pin));
}

TEST_CASE("A GIT_TAG means a commit that does not move", "[service][source]") {
    ModuleScene scene;
    const auto first = scene.lib.revision("HEAD");
    scene.lib.git("tag -a -m one v1");
    scene.lib.git("branch next");
    const auto address = scene.lib.folder().string();
    SubmoduleMirrors mirrors(scene.scratch.path() / "demo.modules");
    CHECK(mirrors.resolve(address, first.str()) == first);
    CHECK(mirrors.resolve(address, "v1") == first);
    CHECK(mirrors.resolve(address, first.str().substr(0, 8)) == first);
    scene.lib.write("lib.h", "long lib;\n");
    const auto second = scene.lib.commit("more");
    scene.lib.git("tag v2");
    CHECK(mirrors.resolve(address, "v2") == second);
    for (const auto* name : {"next", "v3", "../v1", "", "refs/heads/next", "-v1"}) {
        CHECK_THROWS_WITH(mirrors.resolve(address, name), Contains("is no tag and no commit"));
    }
    scene.lib.git("tag next");
    CHECK_THROWS_WITH(mirrors.resolve(address, "next"), Contains("a branch is not followed"));
}
