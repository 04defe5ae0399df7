#include "service/store/content_check.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <fmt/format.h>
#include <sys/stat.h>

namespace vigil::service {

namespace fs = std::filesystem;

namespace {

constexpr int parts = 256;
constexpr std::size_t most_listed = 100;
constexpr std::int64_t young_s = 3600;
constexpr std::size_t digits = 64;

std::vector<Digest> list_rows(Database& db, const std::string& first, const std::string& last) {
    return db.all<Digest>(
        "SELECT digest FROM content WHERE digest >= ?1 AND digest <= ?2 ORDER BY digest",
        first,
        last);
}

bool has_row(Database& db, const Digest& digest) {
    return db.has("SELECT 1 FROM content WHERE digest = ?1", digest);
}

/// Whether it has been there for long enough to have a row.
bool is_old(const fs::path& file, std::int64_t now_s) {
    struct stat status {};
    return ::stat(file.c_str(), &status) == 0 && status.st_mtime < now_s - young_s;
}

/// The files of a part; none where it has no folder yet.
std::set<Digest> list_files(const fs::path& folder) {
    std::set<Digest> files;
    std::error_code failure;
    for (fs::directory_iterator at(folder, failure), end; !failure && at != end;
         at.increment(failure)) {
        const auto name = at->path().filename().string();
        if (name.size() == digits && is_lower_hex(name)) files.emplace(name);
    }
    return files;
}

void add(std::vector<Digest>& list, const Digest& digest) {
    if (list.size() < most_listed) list.push_back(digest);
}

void check_part(
    Database& db,
    const ContentStore& store,
    std::uint64_t part,
    std::int64_t now_s,
    ContentCheck& check) {
    const auto begin = fmt::format("{:02x}", part);
    const Digest first(begin + std::string(digits - begin.size(), '0'));
    const auto files = list_files(store.path(first).parent_path());
    const auto rows = list_rows(db, first.str(), begin + std::string(digits - begin.size(), 'f'));
    for (const auto& row : rows) {
        if (!files.contains(row) && !store.has(row) && has_row(db, row)) add(check.lost, row);
    }
    const std::set<Digest> known(rows.begin(), rows.end());
    for (const auto& file : files) {
        if (!known.contains(file) && is_old(store.path(file), now_s) && !has_row(db, file)) {
            add(check.unknown, file);
        }
    }
}

}  // namespace

ContentCheck check_content(
    Database& db,
    const ContentStore& store,
    std::int64_t now_s,
    std::chrono::milliseconds at_most,
    std::int64_t first) {
    const auto until = std::chrono::steady_clock::now() + at_most;
    ContentCheck check;
    for (int i = 0; i < parts && std::chrono::steady_clock::now() < until; ++i) {
        const auto part = (static_cast<std::uint64_t>(first) + static_cast<std::uint64_t>(i));
        check_part(db, store, part % parts, now_s, check);
        ++check.checked;
    }
    return check;
}

}  // namespace vigil::service
