#include "service/source/archive_intake.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <unistd.h>

#include <sys/stat.h>

#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"
#include "service/source/temporary_file.hpp"
#include "service/source/words.hpp"
#include "service/store/content_store.hpp"

namespace vigil::service {

namespace {

namespace fs = std::filesystem;

class Input {
  public:
    explicit Input(const fs::path& file)
        : descriptor_(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) {
        if (descriptor_ < 0 && errno == ENOENT) {
            throw Error(Errc::not_found, "there is no such file");
        }
        if (descriptor_ < 0 && errno == ELOOP) refuse("it is a link");
        if (descriptor_ < 0) throw Error(Errc::unavailable, std::strerror(errno));
    }
    ~Input() { ::close(descriptor_); }
    Input(const Input&) = delete;
    Input& operator=(const Input&) = delete;

    std::int64_t size() const {
        struct stat status {};
        if (::fstat(descriptor_, &status) != 0)
            throw Error(Errc::unavailable, std::strerror(errno));
        if (!S_ISREG(status.st_mode)) refuse("it is no regular file");
        return status.st_size;
    }

    std::string_view read() {
        while (true) {
            const auto got = ::read(descriptor_, buffer_.data(), buffer_.size());
            if (got >= 0) return {buffer_.data(), static_cast<std::size_t>(got)};
            if (errno != EINTR) throw Error(Errc::unavailable, std::strerror(errno));
        }
    }

  private:
    int descriptor_;
    std::array<char, 256 * 1024> buffer_;
};

void check_size(std::int64_t bytes, const SourceConfig& limits) {
    if (bytes <= limits.max_archive_bytes) return;
    refuse(
        "it is larger than source.max_archive_bytes, " + std::to_string(limits.max_archive_bytes));
}

TakenArchive copy(const fs::path& from, const fs::path& to, const SourceConfig& limits) {
    Input input(from);
    check_size(input.size(), limits);
    std::ofstream output(to, std::ios::binary | std::ios::trunc);
    wire::Sha256 sha;
    TakenArchive taken;
    while (true) {
        const auto bytes = input.read();
        if (bytes.empty()) break;
        taken.bytes += std::ssize(bytes);
        check_size(taken.bytes, limits);  // it may grow while we read
        sha.update(bytes);
        output.write(bytes.data(), std::ssize(bytes));
    }
    output.close();
    if (!output)
        throw Error(Errc::unavailable, "writing a copy: " + std::string(std::strerror(errno)));
    taken.digest = sha.finish();
    return taken;
}

}  // namespace

archive::ArchiveLimits limits_of(const SourceConfig& source) {
    archive::ArchiveLimits limits;
    limits.max_bytes = source.max_unpacked_bytes;
    limits.max_entries = source.max_entries;
    return limits;
}

TakenArchive take_archive(
    const fs::path& file,
    const std::optional<Digest>& expected,
    const SourceConfig& limits,
    ContentStore& content) {
    return attempting("taking the archive " + file.filename().string(), [&] {
        const TemporaryFile temporary{content.temporary_path()};
        const TakenArchive taken = copy(file, temporary.path, limits);
        if (expected && taken.digest != *expected) {
            refuse(
                "its SHA-256 is " + taken.digest.brief() + "..., announced was " +
                expected->brief() + "...: it is damaged or was changed");
        }
        archive::check(temporary.path, limits_of(limits));
        content.adopt(temporary.path, taken.digest);
        return taken;
    });
}

}  // namespace vigil::service
