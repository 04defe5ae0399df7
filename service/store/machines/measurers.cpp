#include "service/store/machines/measurers.hpp"

namespace vigil::service {

std::vector<Measurer> list_measurers(Database& db, NightlyId nightly) {
    std::vector<Measurer> measurers;
    auto rows = db.query(
        "SELECT DISTINCT w.id, w.machine_class_id, c.name, w.last_seen_at_s FROM job j "
        "JOIN run r ON r.job_id = j.id AND r.attempt = j.attempt "
        "JOIN worker w ON w.id = r.worker_id JOIN machine_class c ON c.id = w.machine_class_id "
        "WHERE j.nightly_id = ?1 AND j.purpose = 'nightly' AND w.state = 'active' "
        "ORDER BY w.id",
        nightly);
    while (rows.next()) {
        measurers.push_back(
            {rows.get<WorkerId>(0),
             rows.get<MachineClassId>(1),
             rows.get<std::string>(2),
             rows.get<std::int64_t>(3)});
    }
    return measurers;
}

}  // namespace vigil::service
