#include "service/store/machines/night_machines.hpp"

namespace vigil::service {

std::optional<std::string> find_moved_canary(Database& db, NightlyId nightly) {
    return db.find<std::string>(
        "SELECT w.name FROM canary_check k JOIN worker w ON w.id = k.worker_id "
        "WHERE k.nightly_id = ?1 AND k.state = 'moved' LIMIT 1",
        nightly);
}

std::vector<NightStormFact> list_night_storms(Database& db, NightlyId nightly) {
    return db.all<NightStormFact>(
        "SELECT w.name, x.state, x.series, x.suspicious, x.moved_ratio, x.rebased, x.message "
        "FROM storm x JOIN worker w ON w.id = x.worker_id WHERE x.nightly_id = ?1 ORDER BY x.id",
        nightly);
}

void give_up_storms(
    Database& db,
    NightlyId nightly,
    std::optional<WorkerId> worker,
    const std::string& why,
    std::int64_t now_s) {
    db.execute(
        "UPDATE storm SET state = 'given_up', message = ?3, ended_at_s = ?4 WHERE nightly_id = ?1 "
        "AND state = 'checking' AND (?2 IS NULL OR worker_id = ?2)",
        nightly,
        worker,
        why,
        now_s);
}

}  // namespace vigil::service
