#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace vigil::service {

/// What a folder of backups (deploy/backup) holds.
struct NewestBackup {
    std::string name;                  ///< "vigil-20261129T031500Z"; empty: there is none
    std::int64_t at_s = 0;             ///< UTC, by its name
    std::optional<std::string> fault;  ///< why the folder cannot be read
};

/// The newest that is whole: one that was cut off has another name.
NewestBackup find_newest_backup(const std::filesystem::path& folder);

/// The time in a backup's name, UTC; nullopt: it is no name of a backup.
std::optional<std::int64_t> backup_time_s(const std::string& name);

}  // namespace vigil::service
