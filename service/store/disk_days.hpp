#pragma once

#include <cstdint>
#include <vector>

#include "service/store/database.hpp"

// Table `disk_day`: how much room the disk had.

namespace vigil::service {

struct DiskDay {
    std::int64_t day = 0;         ///< since 1970, UTC
    std::int64_t free_bytes = 0;  ///< where the state folder lies, at the day's first look
};

/// Nothing where the day has its row.
void note_disk_day(Database& db, const DiskDay& day);

/// The newest first.
std::vector<DiskDay> list_disk_days(Database& db, int limit);

}  // namespace vigil::service
