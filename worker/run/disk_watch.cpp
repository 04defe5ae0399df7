#include "worker/run/disk_watch.hpp"

#include <algorithm>
#include <chrono>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

namespace vigil::worker {

namespace {

namespace fs = std::filesystem;

using std::chrono::milliseconds;

constexpr milliseconds between_looks{1000};
constexpr int looks_share = 20;  // a look takes at most one part of so many
constexpr std::int64_t block_bytes = 512;
constexpr std::int64_t entry_bytes = 4096;  // the least that an entry costs: there may be millions
constexpr std::int64_t usual_room = std::int64_t{128} << 20;
constexpr int max_depth = 256;

/// What a folder holds, as far as it lets itself be read; stops counting above `most`.
std::int64_t bytes_below(int parent, const char* name, std::int64_t most, int depth) {
    constexpr int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    if (depth > max_depth) return most + 1;
    const int fd = ::openat(parent, name, flags);
    if (fd < 0) return 0;
    const std::unique_ptr<DIR, int (*)(DIR*)> listing(::fdopendir(fd), &::closedir);
    if (!listing) {
        ::close(fd);
        return 0;
    }
    std::int64_t sum = 0;
    while (const dirent* entry = ::readdir(listing.get())) {
        const std::string inner = entry->d_name;
        struct stat status {};
        if (inner == "." || inner == "..") continue;
        if (::fstatat(fd, inner.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
        sum += std::max<std::int64_t>(status.st_blocks * block_bytes, entry_bytes);
        if (S_ISDIR(status.st_mode)) {
            sum += bytes_below(fd, inner.c_str(), most - sum, depth + 1);
        }
        if (sum > most) break;
    }
    return sum;
}

std::int64_t bytes_in(const std::vector<fs::path>& folders, std::int64_t most) {
    std::int64_t sum = 0;
    for (const auto& folder : folders) sum += bytes_below(AT_FDCWD, folder.c_str(), most - sum, 0);
    return sum;
}

std::int64_t room_of(const fs::path& folder) {
    struct statvfs status {};
    if (::statvfs(folder.c_str(), &status) != 0) return std::int64_t{1} << 62;
    return static_cast<std::int64_t>(status.f_bavail) * static_cast<std::int64_t>(status.f_frsize);
}

}  // namespace

DiskWatch::DiskWatch(std::vector<fs::path> folders, std::int64_t max_bytes)
    : folders_(std::move(folders)),
      max_bytes_(max_bytes),
      before_(bytes_in(folders_, std::int64_t{1} << 62)),
      least_room_(std::min(usual_room, room_of(folders_.front()) / 4)),
      thread_([this](const std::stop_token& ended) { loop(ended); }) {}

void DiskWatch::loop(const std::stop_token& ended) {
    auto pause = between_looks;
    std::unique_lock lock(mutex_);
    while (!woken_.wait_for(lock, ended, pause, [&] { return ended.stop_requested(); })) {
        if (ended.stop_requested()) return;
        const auto start = std::chrono::steady_clock::now();
        look();
        const auto took =
            std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - start);
        pause = std::max(between_looks, took * looks_share);
    }
}

void DiskWatch::look() {
    if (over_) return;
    if (bytes_in(folders_, before_ + max_bytes_) > before_ + max_bytes_) {
        why_ = fmt::format(
            "it wrote files of more than {} bytes together, or {} folders deep",
            max_bytes_,
            max_depth);
    } else if (room_of(folders_.front()) < least_room_) {
        why_ = fmt::format("it went on to write while the disk had {} bytes left", least_room_);
    }
    if (!why_.empty()) over_ = true;
}

std::string DiskWatch::why() {
    thread_.request_stop();
    if (thread_.joinable()) thread_.join();
    const std::lock_guard lock(mutex_);
    look();
    return why_;
}

}  // namespace vigil::worker
