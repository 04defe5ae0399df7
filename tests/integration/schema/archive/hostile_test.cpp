#include <archive.h>
#include <archive_entry.h>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "schema/archive/archive.hpp"
#include "schema/archive/library.hpp"
#include "schema/model/error.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using test::content_of;
namespace fs = std::filesystem;

namespace {

/// What one entry of a hand-made archive says.
struct Entry {
    std::string path;
    unsigned type = AE_IFREG;
    std::string content = {};
    std::string link = {};       ///< target of a symbolic link
    std::string hard_link = {};  ///< target of a hard link
    int mode = 0644;
};

void make_archive(
    const fs::path& file,
    const std::vector<Entry>& entries,
    const std::function<void(struct archive*)>& format) {
    const archive::ArchiveHandle out(archive_write_new());
    format(out.get());
    REQUIRE(archive_write_open_filename(out.get(), file.c_str()) == ARCHIVE_OK);
    for (const auto& item : entries) {
        const archive::EntryHandle entry(archive_entry_new());
        archive_entry_set_pathname(entry.get(), item.path.c_str());
        archive_entry_set_filetype(entry.get(), item.type);
        archive_entry_set_perm(entry.get(), static_cast<mode_t>(item.mode));
        archive_entry_set_size(entry.get(), static_cast<la_int64_t>(item.content.size()));
        if (!item.link.empty()) archive_entry_set_symlink(entry.get(), item.link.c_str());
        if (!item.hard_link.empty()) {
            archive_entry_set_hardlink(entry.get(), item.hard_link.c_str());
        }
        if (item.type == AE_IFCHR) archive_entry_set_rdev(entry.get(), 259);
        REQUIRE(archive_write_header(out.get(), entry.get()) >= ARCHIVE_WARN);
        archive_write_data(out.get(), item.content.data(), item.content.size());
    }
    REQUIRE(archive_write_close(out.get()) == ARCHIVE_OK);
}

void tar_gz(struct archive* out) {
    archive_write_set_format_pax_restricted(out);
    archive_write_add_filter_gzip(out);
}

void zip(struct archive* out) {
    archive_write_set_format_zip(out);
}

/// The archive is refused, by check and by unpack alike, and leaves nothing in or beside the
/// folder.
void check_refused(const std::vector<Entry>& entries, const std::string& why) {
    const test::ScratchFolder folder;
    const auto file = folder / "archive";
    make_archive(file, entries, tar_gz);
    CHECK_THROWS_WITH(archive::unpack(file, folder / "out"), Catch::Contains(why));
    CHECK_FALSE(fs::exists(folder / "out"));
    CHECK_FALSE(fs::exists(folder / "out.partial"));
    CHECK(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()) == 1);
}

}  // namespace

TEST_CASE("Paths that leave the folder are refused", "[archive]") {
    check_refused({{.path = "../evil", .content = "x"}}, "rises");
    check_refused({{.path = "a/../../evil", .content = "x"}}, "rises");
    check_refused({{.path = "/tmp/vigil-evil", .content = "x"}}, "absolute");
    CHECK_FALSE(fs::exists("/tmp/vigil-evil"));
}

TEST_CASE("A zip that leaves the folder is refused like a tar", "[archive]") {
    const test::ScratchFolder folder;
    make_archive(folder / "evil.zip", {{.path = "../evil", .content = "x"}}, zip);
    CHECK_THROWS_WITH(
        archive::unpack(folder / "evil.zip", folder / "out"), Catch::Contains("rises"));
    CHECK_FALSE(fs::exists(folder / "evil"));
}

TEST_CASE("Links that lead outside are refused", "[archive]") {
    check_refused({{.path = "l", .type = AE_IFLNK, .link = "/etc/passwd"}}, "stay inside");
    check_refused({{.path = "l", .type = AE_IFLNK, .link = "../x"}}, "stay inside");
    check_refused({{.path = "a/l", .type = AE_IFLNK, .link = "../../x"}}, "stay inside");
}

TEST_CASE("Two links that only together lead outside are refused", "[archive]") {
    check_refused(
        {{.path = "a/b/up", .type = AE_IFLNK, .link = "../.."},
         {.path = "out", .type = AE_IFLNK, .link = "a/b/up/.."}},
        "stay inside");
}

TEST_CASE("A file is never written through a link of the archive", "[archive]") {
    check_refused(
        {{.path = "d", .type = AE_IFDIR, .mode = 0755},
         {.path = "l", .type = AE_IFLNK, .link = "d"},
         {.path = "l/x", .content = "x"}},
        "through a link");
    check_refused(
        {{.path = "f", .type = AE_IFLNK, .link = "g"}, {.path = "f", .content = "x"}},
        "there already");
}

TEST_CASE("Hard links reach only files of the same archive", "[archive]") {
    check_refused({{.path = "h", .hard_link = "/etc/passwd"}}, "absolute");
    check_refused({{.path = "h", .hard_link = "../x"}}, "rises");
    check_refused({{.path = "h", .hard_link = "missing"}}, "hard link");
    check_refused(
        {{.path = "l", .type = AE_IFLNK, .link = "x"}, {.path = "h", .hard_link = "l"}},
        "hard link");
}

TEST_CASE("Devices and pipes are refused", "[archive]") {
    check_refused({{.path = "p", .type = AE_IFIFO}}, "neither");
    check_refused({{.path = "c", .type = AE_IFCHR}}, "neither");
}

TEST_CASE("A path twice is refused", "[archive]") {
    check_refused({{.path = "a", .content = "1"}, {.path = "./a", .content = "2"}}, "already");
    check_refused({{.path = "a", .content = "1"}, {.path = "a/b", .content = "2"}}, "through");
}

TEST_CASE("Special mode bits do not survive", "[archive]") {
    const test::ScratchFolder folder;
    make_archive(
        folder / "a.tar",
        {{.path = "suid", .content = "x", .mode = 06755},
         {.path = "open", .content = "x", .mode = 0666},
         {.path = "d", .type = AE_IFDIR, .mode = 01777}},
        tar_gz);
    archive::unpack(folder / "a.tar", folder / "out");
    struct stat status {};
    REQUIRE(::stat((folder / "out/suid").c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0755);
    REQUIRE(::stat((folder / "out/open").c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0644);
    REQUIRE(::stat((folder / "out/d").c_str(), &status) == 0);
    CHECK((status.st_mode & 07777) == 0755);
}

TEST_CASE("An archive that grows out of proportion is stopped early", "[archive]") {
    const test::ScratchFolder folder;
    const std::string zeros(64 << 20, '\0');
    for (const auto& format : {tar_gz, zip}) {
        make_archive(folder / "bomb", {{.path = "zeros", .content = zeros}}, format);
        CHECK_THROWS_WITH(
            archive::unpack(folder / "bomb", folder / "out"), Catch::Contains("times its size"));
        CHECK_THROWS_WITH(archive::check(folder / "bomb"), Catch::Contains("times its size"));
        CHECK_FALSE(fs::exists(folder / "out.partial"));
    }
}

TEST_CASE("Limits on bytes, entries and paths hold at their edge", "[archive]") {
    const test::ScratchFolder folder;
    make_archive(
        folder / "a", {{.path = "a", .content = "12345"}, {.path = "b", .content = "678"}}, tar_gz);
    CHECK(archive::check(folder / "a", {.max_bytes = 8, .max_entries = 2}).bytes == 8);
    CHECK_THROWS_WITH(
        archive::check(folder / "a", {.max_bytes = 7}), Catch::Contains("more than 7 bytes"));
    CHECK_THROWS_WITH(
        archive::check(folder / "a", {.max_entries = 1}), Catch::Contains("more than 1 entries"));
    make_archive(folder / "long", {{.path = "aaa/bbbb", .content = ""}}, tar_gz);
    CHECK(archive::check(folder / "long", {.max_path = 8}).entries == 1);
    CHECK_THROWS_WITH(
        archive::check(folder / "long", {.max_path = 7}), Catch::Contains("too long"));
}

TEST_CASE("A huge hole counts as what it would fill", "[archive]") {
    const test::ScratchFolder folder;
    const archive::ArchiveHandle out(archive_write_new());
    archive_write_set_format_pax_restricted(out.get());
    REQUIRE(archive_write_open_filename(out.get(), (folder / "hole").c_str()) == ARCHIVE_OK);
    const archive::EntryHandle entry(archive_entry_new());
    archive_entry_set_pathname(entry.get(), "hole");
    archive_entry_set_filetype(entry.get(), AE_IFREG);
    archive_entry_set_size(entry.get(), la_int64_t{1} << 40);
    archive_entry_sparse_add_entry(entry.get(), (la_int64_t{1} << 40) - 1, 1);
    REQUIRE(archive_write_header(out.get(), entry.get()) >= ARCHIVE_WARN);
    archive_write_data(out.get(), "x", 1);
    archive_write_close(out.get());
    CHECK_THROWS_AS(archive::unpack(folder / "hole", folder / "out"), Error);
    CHECK_FALSE(fs::exists(folder / "out"));
}

TEST_CASE("Damaged archives and things that are none are refused", "[archive]") {
    const test::ScratchFolder folder;
    std::string noise;
    for (int i = 0; i < 100'000; ++i) noise += static_cast<char>((i * 7919) >> 3);
    make_archive(folder / "good", {{.path = "a", .content = noise}}, tar_gz);
    const auto whole = content_of(folder / "good");
    for (const double part : {0.3, 0.6, 0.95}) {
        const auto size = static_cast<std::size_t>(part * static_cast<double>(whole.size()));
        std::ofstream(folder / "cut") << whole.substr(0, size);
        CAPTURE(part);
        CHECK_THROWS_AS(archive::unpack(folder / "cut", folder / "out"), Error);
    }
    auto flipped = whole;
    flipped[flipped.size() / 2] = static_cast<char>(~flipped[flipped.size() / 2]);
    std::ofstream(folder / "flipped") << flipped;
    CHECK_THROWS_AS(archive::unpack(folder / "flipped", folder / "out"), Error);
    std::ofstream(folder / "text") << "this is no archive at all\n";
    CHECK_THROWS_AS(archive::unpack(folder / "text", folder / "out"), Error);
    std::ofstream(folder / "empty") << "";
    CHECK_THROWS_WITH(archive::check(folder / "empty"), Catch::Contains("empty"));
    CHECK_THROWS_WITH(archive::check(folder / "absent"), Catch::Contains("absent"));
    CHECK_FALSE(fs::exists(folder / "out"));
}
