#include "service/store/content_store.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"
#include "service/runtime/at_end.hpp"

namespace vigil::service {

namespace fs = std::filesystem;

namespace {

constexpr int name_bytes = 12;  // random bytes of a temporary name

[[noreturn]] void fail(const std::string& doing, int why) {
    const bool full = why == ENOSPC || why == EDQUOT || why == EFBIG;
    throw Error(
        Errc::unavailable,
        "content store: " + doing + ": " + std::strerror(why) +
            (full ? "; the disk is full: free some space, nothing stored is lost" : ""));
}

class Descriptor {
  public:
    Descriptor(const fs::path& path, int flags)
        : path_(path), value_(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {
        if (value_ < 0) fail("opening " + path.string(), errno);
    }
    ~Descriptor() { ::close(value_); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    void sync() {
        if (::fsync(value_) != 0) fail("syncing " + path_.string(), errno);
    }
    int value() const { return value_; }

  private:
    fs::path path_;
    int value_;
};

void make_folder(const fs::path& folder) {
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed) fail("making the folder " + folder.string(), failed.value());
}

}  // namespace

ContentStore::ContentStore(fs::path folder) : folder_(std::move(folder)) {
    make_folder(folder_ / "tmp");
}

fs::path ContentStore::path(const Digest& digest) const {
    VIGIL_ASSERT(!digest.empty());
    return folder_ / digest.str().substr(0, 2) / digest.str();
}

bool ContentStore::has(const Digest& digest) const {
    std::error_code ignored;
    return fs::is_regular_file(path(digest), ignored);
}

fs::path ContentStore::temporary_path() const {
    return folder_ / "tmp" / wire::random_hex(name_bytes);
}

void ContentStore::adopt(const fs::path& file, const Digest& expected) {
    const AtEnd unless_moved_away([&] {
        std::error_code ignored;
        fs::remove(file, ignored);
    });
    const Digest found = wire::sha256_file(file);
    if (found != expected) {
        throw Error(
            Errc::invalid_argument,
            "content arrived damaged: expected digest " + expected.str() + ", its bytes have " +
                found.str() + "; send it again");
    }
    if (has(expected)) return;
    Descriptor(file, O_RDONLY).sync();
    const fs::path target = path(expected);
    const fs::path folder = target.parent_path();
    std::error_code known;
    const bool is_new = !fs::is_directory(folder, known);
    make_folder(folder);
    if (::rename(file.c_str(), target.c_str()) != 0) fail("naming " + target.string(), errno);
    // Without these the name could be lost by a power cut after the ledger has it.
    Descriptor(folder, O_RDONLY | O_DIRECTORY).sync();
    if (is_new) Descriptor(folder_, O_RDONLY | O_DIRECTORY).sync();
}

void ContentStore::remove(const Digest& digest) {
    std::error_code failed;
    fs::remove(path(digest), failed);
    if (failed) fail("removing " + path(digest).string(), failed.value());
}

void ContentStore::quarantine(const Digest& digest, const fs::path& folder) {
    const fs::path target = folder / digest.str();
    if (::rename(path(digest).c_str(), target.c_str()) != 0) {
        fail("moving " + path(digest).string() + " to " + target.string(), errno);
    }
}

void ContentStore::sweep() {
    std::error_code failed;
    for (const auto& entry : fs::directory_iterator(folder_ / "tmp", failed)) {
        std::error_code ignored;  // what stays is tried again at the next start
        fs::remove_all(entry.path(), ignored);
    }
}

std::vector<Digest> ContentStore::list() const {
    std::vector<Digest> found;
    for (const auto& folder : fs::directory_iterator(folder_)) {
        if (!folder.is_directory() || folder.path().filename() == "tmp") continue;
        for (const auto& entry : fs::directory_iterator(folder.path())) {
            const std::string name = entry.path().filename().string();
            if (name.size() == 64 && is_lower_hex(name)) found.emplace_back(name);
        }
    }
    return found;
}

Ballast::Ballast(fs::path file, std::int64_t bytes) : file_(std::move(file)), bytes_(bytes) {}

bool Ballast::take() {
    if (held()) return true;
    const Descriptor file(file_, O_WRONLY | O_CREAT);
    if (bytes_ == 0) return true;
    if (::posix_fallocate(file.value(), 0, bytes_) == 0) return true;
    release();
    return false;
}

void Ballast::release() {
    std::error_code failed;
    fs::remove(file_, failed);
    if (failed) fail("giving up the ballast " + file_.string(), failed.value());
}

bool Ballast::held() const {
    std::error_code missing;
    const auto size = fs::file_size(file_, missing);
    return !missing && static_cast<std::int64_t>(size) >= bytes_;
}

}  // namespace vigil::service
