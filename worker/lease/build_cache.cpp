#include "worker/lease/build_cache.hpp"

#include <algorithm>
#include <vector>

namespace vigil::worker {

namespace fs = std::filesystem;

void add_missing_links(const fs::path& links, const fs::path& into) {
    for (const char* name : {"cc", "c++"}) {
        if (fs::exists(links / name) || !fs::exists(fs::path("/usr/bin") / name)) continue;
        fs::create_directories(into);
        fs::create_symlink("/usr/bin/ccache", into / name);
    }
}

void BuildCache::trim(std::int64_t max_bytes) const {
    if (folder.empty() || writers == CacheWriters::none) return;
    struct Entry {
        fs::file_time_type time;
        std::int64_t bytes;
        fs::path file;
    };
    std::vector<Entry> entries;
    std::int64_t sum = 0;
    std::error_code ignored;
    constexpr auto options = fs::directory_options::skip_permission_denied;
    fs::recursive_directory_iterator walk(folder, options, ignored);
    for (; walk != fs::recursive_directory_iterator(); walk.increment(ignored)) {
        if (fs::symlink_status(walk->path(), ignored).type() != fs::file_type::regular) continue;
        const auto bytes = static_cast<std::int64_t>(walk->file_size(ignored));
        entries.push_back({walk->last_write_time(ignored), bytes, walk->path()});
        sum += bytes;
    }
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
        return a.time < b.time;
    });
    for (const auto& entry : entries) {
        if (sum <= max_bytes) return;
        if (fs::remove(entry.file, ignored)) sum -= entry.bytes;
    }
}

}  // namespace vigil::worker
