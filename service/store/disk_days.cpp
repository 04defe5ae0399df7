#include "service/store/disk_days.hpp"

namespace vigil::service {

void note_disk_day(Database& db, const DiskDay& day) {
    db.execute("INSERT OR IGNORE INTO disk_day(day, free_bytes) VALUES (?1, ?2)", day);
}

std::vector<DiskDay> list_disk_days(Database& db, int limit) {
    return db.all<DiskDay>(
        "SELECT day, free_bytes FROM disk_day ORDER BY day DESC LIMIT ?1", limit);
}

}  // namespace vigil::service
