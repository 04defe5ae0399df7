#include "service/local/builds/folder_lock.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

#include <fmt/format.h>
#include <sys/file.h>

#include "schema/model/error.hpp"

namespace vigil::local {

namespace fs = std::filesystem;

FolderLock::FolderLock(const fs::path& folder) {
    std::error_code failure;
    fs::create_directories(folder, failure);
    const fs::path file = folder / "lock";
    if (!failure) descriptor_ = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (descriptor_ < 0) {
        throw Error(
            Errc::unavailable,
            fmt::format(
                "making the state folder {}: {}; choose another with --state",
                folder.string(),
                failure ? failure.message() : std::strerror(errno)));
    }
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return;
    ::close(descriptor_);
    throw Error(
        Errc::unavailable,
        "another vigil works in " + folder.string() + "; wait for it, or choose another --state");
}

FolderLock::~FolderLock() {
    ::close(descriptor_);
}

}  // namespace vigil::local
