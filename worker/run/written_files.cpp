#include "worker/run/written_files.hpp"

#include <algorithm>
#include <dirent.h>
#include <fcntl.h>
#include <string_view>
#include <system_error>
#include <unistd.h>

#include <sys/stat.h>

#include "schema/model/error.hpp"

namespace vigil::worker {

namespace fs = std::filesystem;

fs::path make_folder(const Runner& runner, const RunRequest& request, const char* name) {
    std::error_code error;
    fs::create_directory(request.scratch / name, error);
    if (error) {
        throw Error(
            Errc::unavailable,
            "making " + (request.scratch / name).string() + ": " + error.message());
    }
    return (runner.sandboxed() ? fs::path(scratch_path) : request.scratch) / name;
}

std::optional<std::string> read_end(int folder, const char* name, std::size_t most) {
    const int file = ::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return std::nullopt;
    struct stat status {};
    std::optional<std::string> end;
    if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
        const auto size = std::min(static_cast<std::size_t>(status.st_size), most);
        std::string bytes(size, '\0');
        std::size_t done = 0;
        const auto from = status.st_size - static_cast<off_t>(size);
        while (done < size) {
            const auto at = from + static_cast<off_t>(done);
            const auto got = ::pread(file, bytes.data() + done, size - done, at);
            if (got <= 0) break;
            done += static_cast<std::size_t>(got);
        }
        bytes.resize(done);
        end = std::move(bytes);
    }
    ::close(file);
    return end;
}

bool for_each_entry(const fs::path& folder, const std::function<bool(int, const char*)>& take) {
    const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR* entries = opened < 0 ? nullptr : ::fdopendir(opened);
    if (entries == nullptr) {
        if (opened >= 0) ::close(opened);
        return false;
    }
    while (const auto* entry = ::readdir(entries)) {
        const std::string_view name = entry->d_name;
        if (name != "." && name != ".." && !take(opened, entry->d_name)) break;
    }
    ::closedir(entries);
    return true;
}

}  // namespace vigil::worker
