#include "schema/archive/folder.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include <sys/stat.h>

#include "schema/model/error.hpp"

namespace vigil::archive {

Descriptor::~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
}

void throw_system(const std::string& attempt, int error_number) {
    switch (error_number) {
        case ENOSPC:
        case EDQUOT:
            throw Error(
                Errc::unavailable, attempt + ": the disk is full; make room, then try again");
        case ELOOP:
        case ENOTDIR:
            throw Error(Errc::invalid_argument, attempt + ": the path goes through a link or file");
        case EACCES:
            throw Error(Errc::denied, attempt + ": its mode does not let it be read or written");
        case EEXIST: throw Error(Errc::invalid_argument, attempt + ": it is there already");
        case ENAMETOOLONG:
        case EINVAL:
        case ENOENT:
        case EISDIR: throw Error(Errc::invalid_argument, attempt + ": " + strerror(error_number));
        default: throw Error(Errc::unavailable, attempt + ": " + strerror(error_number));
    }
}

Descriptor open_folder(const std::filesystem::path& folder) {
    Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!opened) {
        throw Error(
            Errc::not_found, "opening the folder " + folder.string() + ": " + strerror(errno));
    }
    return opened;
}

Descriptor open_below(int root, const PathParts& parts, Missing missing) {
    constexpr int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    Descriptor at(::openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!at) throw_system("opening a folder", errno);
    for (const auto& part : parts) {
        Descriptor next(::openat(at.get(), part.c_str(), flags));
        if (!next && errno == ENOENT && missing == Missing::make) {
            if (::mkdirat(at.get(), part.c_str(), 0755) != 0) {
                throw_system("making the folder " + printable(join_path(parts)), errno);
            }
            ::fchmodat(at.get(), part.c_str(), 0755, 0);  // whatever the umask
            next = Descriptor(::openat(at.get(), part.c_str(), flags));
        }
        if (!next) throw_system("opening the folder " + printable(join_path(parts)), errno);
        at = std::move(next);
    }
    return at;
}

}  // namespace vigil::archive
