#include "service/source/source_tree.hpp"

#include <algorithm>
#include <string>

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "git_repository.hpp"
#include "schema/archive/archive.hpp"
#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"
#include "service/store/content_store.hpp"
#include "tests/support/scratch_folder.hpp"

namespace fs = std::filesystem;
using namespace vigil;
using namespace vigil::service;
using Catch::Contains;
using test::GitRepository;

namespace {

struct TreeScene {
    test::ScratchFolder scratch;
    GitRepository origin{scratch.path() / "origin"};
    ContentStore content{scratch.path() / "content"};

    GitClone clone() const {
        auto clone =
            GitClone::open_or_clone(scratch.path() / "mirror.git", origin.folder().string());
        clone.fetch();
        return clone;
    }
    SourceTree export_tree(const Revision& revision, TreeLimits limits = {}) {
        SubmoduleMirrors mirrors(scratch.path() / "modules");
        return export_source_tree(clone(), revision, content, mirrors, limits);
    }
    Error refusal(const Revision& revision, TreeLimits limits = {}) {
        try {
            export_tree(revision, limits);
        } catch (const Error& error) {
            return error;
        }
        FAIL("the tree was exported");
        throw 0;
    }
    fs::path unpacked(const SourceTree& tree, const std::string& name = "tree") const {
        const auto folder = scratch.path() / name;
        archive::unpack(content.path(tree.digest), folder);
        return folder;
    }
    /// A commit on `main` of a tree that is written byte by byte: "<mode> <name>\0<hash>" ...
    Revision commit_entries(const std::string& listing) const {
        origin.write("../listing", listing);
        const auto tree = origin.git("mktree --missing -z < ../listing");
        return commit_tree(tree);
    }
    Revision commit_tree(const std::string& tree) const {
        const auto commit = origin.git("commit-tree -m hostile " + tree);
        origin.git("update-ref refs/heads/main " + commit);
        return Revision(commit);
    }
    std::string blob(const std::string& text) const {
        origin.write("../blob", text);
        return origin.git("hash-object -w ../blob");
    }
    /// A tree of one entry that git itself would refuse to make.
    Revision commit_raw(const std::string& mode, const std::string& name, const std::string& oid) {
        std::string bytes = mode + " " + name + '\0';
        for (std::size_t i = 0; i < oid.size(); i += 2) {
            bytes += static_cast<char>(std::stoi(oid.substr(i, 2), nullptr, 16));
        }
        origin.write("../tree", bytes);
        return commit_tree(origin.git("hash-object -t tree --literally -w ../tree"));
    }
};

std::string text_of(const fs::path& file) {
    std::ifstream input(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(input), {}};
}

mode_t mode_of(const fs::path& file) {
    struct stat status {};
    REQUIRE(::lstat(file.c_str(), &status) == 0);
    return status.st_mode & 07777;
}

}  // namespace

TEST_CASE("A tree is exported as it was committed", "[service][source]") {
    TreeScene scene;
    scene.origin.write("README", "id $Format:%H$\r\n");
    scene.origin.write("src/deep/er/a.cpp", "int a;");
    scene.origin.write("tool", "#!/bin/sh\n");
    scene.origin.write(".gitattributes", "README -text ident\n");
    fs::permissions(scene.origin.folder() / "tool", fs::perms::owner_all);
    fs::create_symlink("src/deep", scene.origin.folder() / "link");
    fs::create_symlink("../../tool", scene.origin.folder() / "src/deep/up");
    const auto revision = scene.origin.commit("one");
    const auto tree = scene.export_tree(revision);

    CHECK(wire::sha256_file(scene.content.path(tree.digest)) == tree.digest);
    CHECK(static_cast<std::int64_t>(fs::file_size(scene.content.path(tree.digest))) == tree.bytes);
    CHECK(tree.entries == 9);  // three folders, four files, two links
    CHECK(tree.notes.empty());
    const auto folder = scene.unpacked(tree);
    CHECK(text_of(folder / "README") == "id $Format:%H$\r\n");  // no filter
    CHECK(text_of(folder / "link/er/a.cpp") == "int a;");
    CHECK(text_of(folder / "src/deep/up") == "#!/bin/sh\n");
    CHECK(mode_of(folder / "tool") == 0755);
    CHECK(mode_of(folder / "README") == 0644);
    CHECK_FALSE(fs::exists(folder / ".git"));
}

TEST_CASE("What git archive leaves out and fills in is left out and filled in", "[service]") {
    TreeScene scene;
    const std::string latin1 = "caf\xe9";  // no UTF-8
    const std::string long_name(250, 'n');
    scene.origin.write("version", "$Format:%H %an$\n");
    scene.origin.write("plain", "$Format:%H$\n");
    scene.origin.write("docs/a", "a");
    scene.origin.write("docs/b/c", "c");
    scene.origin.write("docs-too", "kept");
    scene.origin.write("src/keep", "k");
    scene.origin.write("src/data/x", "x");
    scene.origin.write("src/only/y", "y");
    scene.origin.write(latin1 + "/" + long_name, "odd");
    scene.origin.write("zoo/" + long_name + "/" + long_name, "deep");
    scene.origin.write(".gitattributes", "version export-subst\ndocs/ export-ignore\n");
    scene.origin.write("src/.gitattributes", "data export-ignore\ny export-ignore\n");
    const auto revision = scene.origin.commit("one");
    const auto tree = scene.export_tree(revision);
    const auto folder = scene.unpacked(tree);
    CHECK(text_of(folder / "version") == revision.str() + " Author One\n");
    CHECK(text_of(folder / "plain") == "$Format:%H$\n");
    CHECK_FALSE(fs::exists(folder / "docs"));
    CHECK(text_of(folder / "docs-too") == "kept");
    CHECK(text_of(folder / "src/keep") == "k");
    CHECK_FALSE(fs::exists(folder / "src/data"));
    CHECK(fs::is_empty(folder / "src/only"));  // git keeps it
    CHECK(text_of(folder / latin1 / long_name) == "odd");
    CHECK(text_of(folder / "zoo" / long_name / long_name) == "deep");
    REQUIRE(tree.notes.size() == 2);
    CHECK(tree.notes[0] == "3 entries left out by export-ignore, e.g. \"docs\"");
    CHECK(tree.notes[1] == "1 entry filled in by export-subst, e.g. \"version\"");

    // The same entries as git itself has.
    scene.origin.git("archive --format=tar -o ../expected.tar " + revision.str());
    fs::create_directory(scene.scratch.path() / "expected");
    scene.origin.git("--version > /dev/null && tar -xf ../expected.tar -C ../expected");
    fs::remove(folder / source_file);
    scene.origin.git("diff --no-index --quiet ../expected '" + folder.string() + "'");
}

TEST_CASE("A file that stands for one of git-lfs stays, and is said", "[service][source]") {
    TreeScene scene;
    const std::string pointer =
        "version https://git-lfs.github.com/spec/v1\noid sha256:" + std::string(64, 'a') +
        "\nsize 12345\n";
    scene.origin.write("model.bin", pointer);
    scene.origin.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
    const auto tree = scene.export_tree(scene.origin.commit("one"));
    CHECK(text_of(scene.unpacked(tree) / "model.bin") == pointer);
    REQUIRE(tree.notes.size() == 1);
    CHECK_THAT(tree.notes[0], Contains("1 entry that stands for a file of git-lfs"));
}

TEST_CASE("Equal trees give equal digests, other trees others", "[service][source]") {
    TreeScene scene;
    scene.origin.write("a", "1");
    scene.origin.write("b/c", "2");
    const auto first = scene.origin.commit("one");
    scene.origin.write("a", "3");
    const auto second = scene.origin.commit("two");
    scene.origin.write("a", "1");
    const auto third = scene.origin.commit("back again");
    CHECK(scene.export_tree(first).digest == scene.export_tree(third).digest);
    CHECK(scene.export_tree(first).digest != scene.export_tree(second).digest);

    TreeScene elsewhere;  // another clone, another time, other authors' order of writing
    elsewhere.origin.write("b/c", "2");
    elsewhere.origin.commit("first b");
    elsewhere.origin.write("a", "1");
    const auto same = elsewhere.origin.commit("then a");
    CHECK(elsewhere.export_tree(same).digest == scene.export_tree(first).digest);
}

TEST_CASE("Links that lead out are left out and named", "[service][source]") {
    TreeScene scene;
    scene.origin.write("d/file", "x");
    fs::create_symlink("/etc/passwd", scene.origin.folder() / "absolute");
    fs::create_symlink("../../outside", scene.origin.folder() / "d/rising");
    fs::create_symlink("file/../../../x", scene.origin.folder() / "d/hidden");
    fs::create_symlink("nowhere", scene.origin.folder() / "dangling");
    const auto tree = scene.export_tree(scene.origin.commit("links"));
    REQUIRE(tree.notes.size() == 3);
    CHECK_THAT(tree.notes[0], Contains("\"absolute\" -> \"/etc/passwd\""));
    const auto folder = scene.unpacked(tree);
    CHECK(fs::is_symlink(folder / "dangling"));
    CHECK_FALSE(fs::is_symlink(folder / "absolute"));
    CHECK_FALSE(fs::is_symlink(folder / "d/rising"));
    CHECK_FALSE(fs::is_symlink(folder / "d/hidden"));
}

TEST_CASE("Odd names come through as they are", "[service][source]") {
    TreeScene scene;
    const std::string latin1 = "caf\xe9";  // no UTF-8
    const std::string long_name(250, 'n');
    for (const std::string& name :
         {std::string("with space"),
          std::string("-rf"),
          std::string("caf\xc3\xa9"),
          latin1,
          std::string("new\nline"),
          std::string("back\\slash"),
          std::string("...")}) {
        scene.origin.write(name, name);
    }
    scene.origin.write(long_name + "/" + long_name + "/x", "deep");
    const auto tree = scene.export_tree(scene.origin.commit("names"));
    const auto folder = scene.unpacked(tree);
    CHECK(text_of(folder / latin1) == latin1);
    CHECK(text_of(folder / "new\nline") == "new\nline");
    CHECK(text_of(folder / "back\\slash") == "back\\slash");
    CHECK(text_of(folder / "...") == "...");
    CHECK(text_of(folder / long_name / long_name / "x") == "deep");
}

TEST_CASE("Names that would leave the tree or fake a repository are refused", "[service][source]") {
    TreeScene scene;
    const auto file = scene.blob("x");
    for (const auto* name : {"..", ".", ".git", ".GIT", "a/b"}) {
        CAPTURE(name);
        const auto error = scene.refusal(scene.commit_raw("100644", name, file));
        CHECK(error.code() == Errc::invalid_argument);
        CHECK_THAT(error.what(), Contains("not a name that a tree may hold"));
    }
}

TEST_CASE("The same name twice is refused", "[service][source]") {
    TreeScene scene;
    const std::string entry = "100644 blob " + scene.blob("x") + "\tsame" + '\0';
    CHECK_THAT(scene.refusal(scene.commit_entries(entry + entry)).what(), Contains("twice"));
}

TEST_CASE("A tree over a limit is refused with the limit", "[service][source]") {
    TreeScene scene;
    scene.origin.write("a/b/c/d", std::string(5'000, 'x'));
    scene.origin.write("e", std::string(5'000, 'y'));
    const auto revision = scene.origin.commit("one");
    CHECK_THAT(scene.refusal(revision, {.max_bytes = 9'999}).what(), Contains("larger than"));
    CHECK_THAT(scene.refusal(revision, {.max_file_bytes = 4'999}).what(), Contains("4999 bytes"));
    CHECK_THAT(scene.refusal(revision, {.max_entries = 4}).what(), Contains("4 entries"));
    CHECK_THAT(scene.refusal(revision, {.max_depth = 2}).what(), Contains("too deep"));
    CHECK_THAT(scene.refusal(revision, {.max_path = 6}).what(), Contains("too long"));
    CHECK(scene.export_tree(revision, {.max_bytes = 10'000, .max_entries = 5}).entries == 5);
}

TEST_CASE("A tree that multiplies itself ends at the limit of entries", "[service][source]") {
    TreeScene scene;
    std::string listing = "100644 blob " + scene.blob("x") + "\tf" + '\0';
    Revision revision;
    for (int level = 0; level < 12; ++level) {  // ten to the twelfth files
        revision = scene.commit_entries(listing);
        const auto tree = scene.origin.git("rev-parse " + revision.str() + "^{tree}");
        listing.clear();
        for (int i = 0; i < 10; ++i) {
            listing += "040000 tree " + tree + "\td" + std::to_string(i) + '\0';
        }
    }
    CHECK_THAT(scene.refusal(revision, {.max_entries = 2'000}).what(), Contains("2000 entries"));
}

TEST_CASE("What is missing is not found", "[service][source]") {
    TreeScene scene;
    scene.origin.write("a", "1");
    const auto first = scene.origin.commit("one");
    CHECK(scene.refusal(Revision(std::string(40, 'a'))).code() == Errc::not_found);
    CHECK(scene.refusal(Revision(std::string(64, 'a'))).code() == Errc::not_found);
    CHECK_NOTHROW(scene.export_tree(first));
}
