#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "schema/archive/archive.hpp"
#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using test::content_of;
namespace fs = std::filesystem;

namespace {

void write_file(const fs::path& file, const std::string& content) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << content;
}

void make_tree(const fs::path& root, const std::vector<std::string>& order) {
    for (const auto& name : order) write_file(root / name, "content of " + name);
    fs::permissions(root / "bin/tool", fs::perms(0755));
    fs::create_directories(root / "empty");
    fs::create_symlink("../bin/tool", root / "lib/link");
}

}  // namespace

TEST_CASE("Equal trees pack to equal bytes, whatever their order, times and owner", "[archive]") {
    const test::ScratchFolder folder;
    make_tree(folder / "one", {"bin/tool", "lib/a.so", "z"});
    make_tree(folder / "two", {"z", "lib/a.so", "bin/tool"});
    fs::last_write_time(
        folder / "two/z", fs::file_time_type::clock::now() - std::chrono::hours(1000));
    fs::permissions(folder / "two/z", fs::perms(0600));
    archive::pack_folder(folder / "one", {"."}, folder / "one.tar");
    archive::pack_folder(
        folder / "two", {"z", "lib", "bin/tool", "bin", "empty"}, folder / "two.tar");
    CHECK(wire::sha256_file(folder / "one.tar") == wire::sha256_file(folder / "two.tar"));
}

TEST_CASE("Equal trees have one digest, however they are packed", "[archive]") {
    const test::ScratchFolder folder;
    make_tree(folder / "in", {"bin/tool", "lib/a.so", "z"});
    const auto digest_of = [&](const std::vector<std::string>& outputs) {
        archive::pack_folder(folder / "in", outputs, folder / "a.tar");
        return archive::tree_digest(folder / "a.tar", "without");
    };
    const auto tar =
        "tar -C " + (folder / "in").string() + " -czf " + (folder / "b.tar.gz").string();
    REQUIRE(std::system((tar + " z empty ./lib bin/tool").c_str()) == 0);
    const auto digest = digest_of({"."});
    CHECK(archive::tree_digest(folder / "b.tar.gz", "") == digest);
    write_file(folder / "in/without", "what it was made of");
    CHECK(digest_of({"."}) == digest);
    fs::remove(folder / "in/without");
    CHECK(digest_of({"bin", "lib", "z"}) != digest);  // an empty folder less
    fs::permissions(folder / "in/z", fs::perms(0755));
    CHECK(digest_of({"."}) != digest);
    fs::permissions(folder / "in/z", fs::perms(0644));
    CHECK(digest_of({"."}) == digest);
    write_file(folder / "in/z", "content of Z");
    CHECK(digest_of({"."}) != digest);
}

TEST_CASE("What is packed comes back as it was", "[archive]") {
    const test::ScratchFolder folder;
    const std::string long_name = "deep/" + std::string(200, 'n') + "/" + std::string(150, 'm');
    make_tree(folder / "in", {"bin/tool", "lib/a.so", "z", "na\xc3\xafve", "odd\xff", long_name});
    const auto packed = archive::pack_folder(folder / "in", {"."}, folder / "a.tar");
    const auto unpacked = archive::unpack(folder / "a.tar", folder / "out");
    CHECK(packed.entries == unpacked.entries);
    CHECK(packed.bytes == unpacked.bytes);
    CHECK(content_of(folder / "out/lib/a.so") == "content of lib/a.so");
    CHECK(content_of(folder / "out/na\xc3\xafve") == "content of na\xc3\xafve");
    CHECK(content_of(folder / "out/odd\xff") == "content of odd\xff");
    CHECK(content_of(folder.path() / "out" / long_name) == "content of " + long_name);
    CHECK(content_of(folder / "out/lib/link") == "content of bin/tool");
    CHECK(fs::is_directory(folder / "out/empty"));
    CHECK(::access((folder / "out/bin/tool").c_str(), X_OK) == 0);
}

TEST_CASE("Only the outputs are packed", "[archive]") {
    const test::ScratchFolder folder;
    make_tree(folder / "in", {"bin/tool", "lib/a.so", "z"});
    archive::pack_folder(folder / "in", {"lib/a.so"}, folder / "a.tar");
    archive::unpack(folder / "a.tar", folder / "out");
    CHECK(fs::exists(folder / "out/lib/a.so"));
    CHECK_FALSE(fs::exists(folder / "out/z"));
    CHECK_FALSE(fs::exists(folder / "out/lib/link"));
}

TEST_CASE("An output that is missing or rises is named, and no tar is left", "[archive]") {
    const test::ScratchFolder folder;
    make_tree(folder / "in", {"bin/tool", "lib/a.so"});
    CHECK_THROWS_WITH(
        archive::pack_folder(folder / "in", {"lib/b.so"}, folder / "a.tar"),
        Catch::Contains("lib/b.so"));
    CHECK_THROWS_AS(archive::pack_folder(folder / "in", {"../x"}, folder / "a.tar"), Error);
    CHECK_THROWS_AS(archive::pack_folder(folder / "in", {}, folder / "a.tar"), Error);
    CHECK_FALSE(fs::exists(folder / "a.tar"));
}

TEST_CASE("A product cannot take along what lies outside its folder", "[archive]") {
    const test::ScratchFolder folder;
    write_file(folder / "secret/key", "the secret");
    make_tree(folder / "in", {"bin/tool", "lib/a.so"});
    fs::create_symlink(folder / "secret", folder / "in/out");
    CHECK_THROWS_AS(archive::pack_folder(folder / "in", {"out/key"}, folder / "a.tar"), Error);
    CHECK_THROWS_WITH(
        archive::pack_folder(folder / "in", {"out"}, folder / "a.tar"),
        Catch::Contains("leads outside"));
    REQUIRE(::mkfifo((folder / "in/lib/pipe").c_str(), 0600) == 0);
    CHECK_THROWS_WITH(
        archive::pack_folder(folder / "in", {"lib"}, folder / "a.tar"), Catch::Contains("pipe"));
}

TEST_CASE("A folder that exists is not unpacked into", "[archive]") {
    const test::ScratchFolder folder;
    make_tree(folder / "in", {"bin/tool", "lib/a.so"});
    archive::pack_folder(folder / "in", {"."}, folder / "a.tar");
    fs::create_directories(folder / "out");
    CHECK_THROWS_WITH(
        archive::unpack(folder / "a.tar", folder / "out"), Catch::Contains("exists already"));
}

TEST_CASE("What a killed attempt left behind does not disturb the next", "[archive]") {
    const test::ScratchFolder folder;
    make_tree(folder / "in", {"bin/tool", "lib/a.so"});
    archive::pack_folder(folder / "in", {"."}, folder / "a.tar");
    write_file(folder / "out.partial/bin/tool", "half");
    archive::unpack(folder / "a.tar", folder / "out");
    CHECK(content_of(folder / "out/bin/tool") == "content of bin/tool");
    CHECK_FALSE(fs::exists(folder / "out.partial"));
}

TEST_CASE("Single files of an archive are read by their names", "[archive]") {
    const test::ScratchFolder folder;
    make_tree(folder / "in", {"bin/tool", "lib/a.so", "z"});
    archive::pack_folder(folder / "in", {"."}, folder / "in.tar");
    const auto files =
        archive::read_files(folder / "in.tar", {"bin/tool", "z", "none", "lib/link", "lib"});
    CHECK(files.size() == 2);  // links and folders are no files
    CHECK(files.at("bin/tool") == "content of bin/tool");
    CHECK_THROWS_AS(archive::read_files(folder / "in.tar", {"z"}, 3), Error);
    CHECK_THROWS_AS(archive::read_files(folder / "in/z", {"z"}), Error);
    CHECK_THROWS_AS(archive::read_files(folder / "none", {"z"}), Error);
}
