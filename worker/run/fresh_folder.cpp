#include "worker/run/fresh_folder.hpp"

#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <functional>
#include <memory>
#include <unistd.h>

#include <sys/stat.h>

#include "schema/log/log.hpp"
#include "schema/model/error.hpp"

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

constexpr mode_t owner_may_all = 0700;
constexpr int most_quarantined = 100;

using Folder = std::unique_ptr<DIR, int (*)(DIR*)>;

/// Opened for reading, whatever its rights were; null when it is none or cannot be opened.
Folder open_folder(int parent, const char* name) {
    constexpr int flags = O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    struct stat status {};
    if (::fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode) &&
        (status.st_mode & owner_may_all) != owner_may_all) {
        ::fchmodat(parent, name, owner_may_all, 0);
    }
    const int fd = ::openat(parent, name, O_RDONLY | flags);
    DIR* opened = fd < 0 ? nullptr : ::fdopendir(fd);
    if (opened == nullptr && fd >= 0) ::close(fd);
    return {opened, &::closedir};
}

/// Flattens instead of descending: whatever the depth, two folders are open at a time.
class Sweeper {
  public:
    explicit Sweeper(int top) : top_(top) {}

    /// One pass over the top folder. @return whether anything of it is gone
    bool sweep() {
        done_ = 0;
        for_each(top_, [&](const char* name) { take(name); });
        return done_ > 0;
    }
    bool empty() const {
        bool found = false;
        for_each(top_, [&](const char*) { found = true; });
        return !found;
    }
    int error() const { return error_; }

  private:
    static void for_each(int folder, const std::function<void(const char*)>& visit) {
        const Folder listing = open_folder(folder, ".");
        if (!listing) return;
        while (const dirent* entry = ::readdir(listing.get())) {
            const std::string name = entry->d_name;
            if (name != "." && name != "..") visit(name.c_str());
        }
    }

    bool note(int result) {
        if (result == 0) ++done_;
        if (result != 0) error_ = errno;
        return result == 0;
    }

    static bool is_folder(int parent, const char* name) {
        struct stat status {};
        return ::fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
               S_ISDIR(status.st_mode);
    }

    void take(const char* name) {
        if (!is_folder(top_, name)) {
            note(::unlinkat(top_, name, 0));
            return;
        }
        if (const Folder inner = open_folder(top_, name)) {
            const int fd = ::dirfd(inner.get());
            for_each(fd, [&](const char* entry) { take_inner(fd, entry); });
        }
        note(::unlinkat(top_, name, AT_REMOVEDIR));
    }

    void take_inner(int parent, const char* name) {
        if (!is_folder(parent, name)) {
            note(::unlinkat(parent, name, 0));
        } else if (::unlinkat(parent, name, AT_REMOVEDIR) != 0) {
            open_folder(parent, name);  // a folder that moves must be writable: ".." changes
            const auto target = ".vigil-" + std::to_string(++moved_);
            note(::renameat(parent, name, top_, target.c_str()));
        }
    }

    int top_;
    int done_ = 0;
    int moved_ = 0;
    int error_ = 0;
};

fs::path aside_name(const fs::path& folder, int number) {
    return folder.string() + ".aside-" + std::to_string(number);
}

}  // namespace

std::string remove_tree(const fs::path& folder) {
    if (::unlink(folder.c_str()) == 0 || ::rmdir(folder.c_str()) == 0) return "";
    if (errno == ENOENT) return "";
    const Folder opened = open_folder(AT_FDCWD, folder.c_str());
    if (!opened) return folder.string() + " cannot be opened: " + std::strerror(errno);
    Sweeper sweeper(::dirfd(opened.get()));
    while (sweeper.sweep()) {
    }
    if (!sweeper.empty()) {
        return folder.string() + " cannot be emptied: " + std::strerror(sweeper.error());
    }
    if (::rmdir(folder.c_str()) == 0) return "";
    return folder.string() + " cannot be removed: " + std::strerror(errno);
}

void clear_away(const fs::path& folder) {
    const auto why = remove_tree(folder);
    if (why.empty()) return;
    for (int number = 1; number <= most_quarantined; ++number) {
        const auto aside = aside_name(folder, number);
        std::error_code failed;
        if (fs::exists(fs::symlink_status(aside, failed))) continue;
        fs::rename(folder, aside, failed);
        if (failed) break;
        log_error("folder.quarantined", {{"folder", aside.string()}, {"why", why}});
        return;
    }
    throw Error(Errc::unavailable, "making room for a job: " + why + ", nor set aside");
}

void make_fresh(const fs::path& folder) {
    clear_away(folder);
    try {
        fs::create_directories(folder);
        fs::permissions(folder, fs::perms(0755));
    } catch (const fs::filesystem_error& error) {
        throw Error(Errc::unavailable, std::string("making a fresh folder: ") + error.what());
    }
}

void remove_quarantined(const fs::path& folder) {
    for (int number = 1; number <= most_quarantined; ++number) {
        remove_tree(aside_name(folder, number));
    }
}

}  // namespace vigil::worker
