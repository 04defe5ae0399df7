// Folders that jobs left behind, cleared by a worker that is not root.

#include "worker/run/fresh_folder.hpp"

#include <fcntl.h>

#include <sys/stat.h>

#include "tests/integration/worker/run/run_fixture.hpp"
#include "tests/support/as_nobody.hpp"

using namespace vigil;
using namespace vigil::worker;
using test::as_nobody;
using test::ScratchFolder;
namespace fs = std::filesystem;

namespace {

void lock(const fs::path& path, mode_t mode) {
    if (::chmod(path.c_str(), mode) != 0) throw std::runtime_error("chmod " + path.string());
}

/// So deep that its path is longer than any call takes.
void make_deep(const fs::path& folder, int levels) {
    int at = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < levels && at >= 0; ++i) {
        ::mkdirat(at, "deep-in-the-folder", 0700);
        const int next = ::openat(at, "deep-in-the-folder", O_RDONLY | O_DIRECTORY);
        ::close(at);
        at = next;
    }
    if (at < 0) throw std::runtime_error("no deep folder");
    ::fchmod(at, 0);
    ::close(at);
}

}  // namespace

TEST_CASE("A folder that a job has locked is made fresh again", "[worker][run][fresh]") {
    const ScratchFolder root;
    test::give_to_nobody(root.path());
    const auto wrong = as_nobody([&]() -> std::string {
        const auto work = root.path() / "work";
        test::write_file(work / "locked/inner/file", "x");
        test::write_file(work / "read-only/file", "x");
        test::write_file(work / "unreadable/a/b/file", "x");
        test::write_file(work / ".vigil-1", "a name that is taken");
        fs::create_symlink(root.path() / "kept", work / "link");
        test::write_file(root.path() / "kept/file", "x");
        lock(work / "locked/inner", 0);
        lock(work / "locked", 0);
        lock(work / "read-only", 0555);
        lock(work / "unreadable/a/b", 0300);
        lock(work / "unreadable/a", 0100);
        make_deep(work, 3000);
        lock(work, 0);
        make_fresh(work);
        if (!fs::is_empty(work)) return "something is left";
        if (!fs::exists(root.path() / "kept/file")) return "a link was followed";
        if (fs::exists(root.path() / "work.aside-1")) return "it was set aside, not cleared";
        return "";
    });
    CHECK(wrong == "");
}

TEST_CASE("What cannot be removed is set aside, and removed once it can", "[worker][run][fresh]") {
    if (::geteuid() != 0) {
        WARN("not tested: only root can make what nobody else may remove");
        return;
    }
    const ScratchFolder root;
    test::give_to_nobody(root.path());
    test::write_file(root.path() / "work/of-root/file", "x");
    const auto wrong = as_nobody([&]() -> std::string {
        make_fresh(root.path() / "work");
        if (!fs::is_empty(root.path() / "work")) return "it is not fresh";
        if (!fs::exists(root.path() / "work.aside-1/of-root/file")) return "it is not set aside";
        remove_quarantined(root.path() / "work");
        if (!fs::exists(root.path() / "work.aside-1")) return "it is gone";
        return "";
    });
    CHECK(wrong == "");
    remove_quarantined(root.path() / "work");
    CHECK_FALSE(fs::exists(root.path() / "work.aside-1"));
}

TEST_CASE("A place that cannot be made says why", "[worker][run][fresh]") {
    const ScratchFolder root;
    CHECK_THROWS_WITH(make_fresh("/proc/self/new"), Catch::Contains("/proc/self/new"));
    test::write_file(root.path() / "file", "x");
    make_fresh(root.path() / "file");
    CHECK(fs::is_empty(root.path() / "file"));
}
