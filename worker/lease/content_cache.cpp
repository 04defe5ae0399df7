#include "worker/lease/content_cache.hpp"

#include <algorithm>
#include <vector>

#include "schema/model/error.hpp"
#include "schema/wire/digest.hpp"

namespace vigil::worker {

namespace fs = std::filesystem;

ContentCache::ContentCache(fs::path folder, std::int64_t max_bytes)
    : folder_(std::move(folder)), max_bytes_(max_bytes) {
    fs::create_directories(folder_);
    struct Found {
        fs::file_time_type time;
        Digest digest;
        std::int64_t bytes;
    };
    std::vector<Found> found;
    for (const auto& entry : fs::directory_iterator(folder_)) {
        const auto name = entry.path().filename().string();
        if (name.size() == 64 && is_lower_hex(name) && entry.is_regular_file()) {
            found.push_back(
                {entry.last_write_time(),
                 Digest(name),
                 static_cast<std::int64_t>(entry.file_size())});
        } else {
            fs::remove_all(entry.path());  // of a fetch that was killed
        }
    }
    std::sort(
        found.begin(), found.end(), [](const Found& a, const Found& b) { return a.time < b.time; });
    for (const auto& file : found) held_[file.digest] = {file.bytes, ++uses_, false};
    make_room();
}

fs::path ContentCache::path_of(const Digest& digest) const {
    return folder_ / digest.str();
}

void ContentCache::use(const Digest& digest) {
    auto& held = held_.at(digest);
    held.last_use = ++uses_;
    held.pinned = true;
    std::error_code ignored;
    fs::last_write_time(path_of(digest), fs::file_time_type::clock::now(), ignored);
}

fs::path ContentCache::fetch(const Digest& digest, ServiceApi& service) {
    const auto path = path_of(digest);
    if (held_.count(digest) != 0 && fs::exists(path)) {
        use(digest);
        return path;
    }
    const fs::path partial = path.string() + ".partial";
    fs::remove(partial);
    service.fetch_content(digest, partial, max_bytes_);
    const auto got = wire::sha256_file(partial);
    if (got != digest) {
        fs::remove(partial);
        throw Error(
            Errc::invalid_argument,
            "fetching the content " + digest.str() + ": what came has the digest " + got.str());
    }
    fs::rename(partial, path);
    held_[digest] = {static_cast<std::int64_t>(fs::file_size(path)), 0, true};
    use(digest);
    make_room();
    return path;
}

Digest ContentCache::adopt(const fs::path& file) {
    const auto digest = wire::sha256_file(file);
    fs::rename(file, path_of(digest));
    held_[digest] = {static_cast<std::int64_t>(fs::file_size(path_of(digest))), 0, true};
    use(digest);
    make_room();
    return digest;
}

fs::path ContentCache::load(const Digest& digest) {
    if (held_.count(digest) == 0) {
        throw Error(Errc::not_found, "the content " + digest.str() + " is not in the cache");
    }
    use(digest);
    return path_of(digest);
}

void ContentCache::release_all() {
    for (auto& [digest, held] : held_) held.pinned = false;
    make_room();
}

std::int64_t ContentCache::bytes() const {
    std::int64_t sum = 0;
    for (const auto& [digest, held] : held_) sum += held.bytes;
    return sum;
}

void ContentCache::make_room() {
    for (auto over = bytes() - max_bytes_; over > 0;) {
        auto oldest = held_.end();
        for (auto it = held_.begin(); it != held_.end(); ++it) {
            const bool older =
                oldest == held_.end() || it->second.last_use < oldest->second.last_use;
            if (!it->second.pinned && older) oldest = it;
        }
        if (oldest == held_.end()) return;  // all of it is in use; the end of the job makes room
        std::error_code ignored;
        fs::remove(path_of(oldest->first), ignored);
        over -= oldest->second.bytes;
        held_.erase(oldest);
    }
}

}  // namespace vigil::worker
