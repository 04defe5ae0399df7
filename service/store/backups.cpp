#include "service/store/backups.hpp"

#include <cstdio>
#include <ctime>
#include <system_error>

namespace vigil::service {

namespace fs = std::filesystem;

std::optional<std::int64_t> backup_time_s(const std::string& name) {
    std::tm time{};
    int end = 0;
    const int found = std::sscanf(
        name.c_str(),
        "vigil-%4d%2d%2dT%2d%2d%2dZ%n",
        &time.tm_year,
        &time.tm_mon,
        &time.tm_mday,
        &time.tm_hour,
        &time.tm_min,
        &time.tm_sec,
        &end);
    if (found != 6 || static_cast<std::size_t>(end) != name.size()) return std::nullopt;
    time.tm_year -= 1900;
    time.tm_mon -= 1;
    return ::timegm(&time);
}

NewestBackup find_newest_backup(const fs::path& folder) {
    NewestBackup newest;
    std::error_code failure;
    for (fs::directory_iterator at(folder, failure), end; !failure && at != end;
         at.increment(failure)) {
        const auto name = at->path().filename().string();
        const auto at_s = backup_time_s(name);
        std::error_code unknown;
        if (!at_s || *at_s <= newest.at_s) continue;
        if (!fs::is_regular_file(at->path() / "ledger.sqlite", unknown)) continue;
        newest.name = name;
        newest.at_s = *at_s;
    }
    if (failure) newest.fault = failure.message();
    return newest;
}

}  // namespace vigil::service
