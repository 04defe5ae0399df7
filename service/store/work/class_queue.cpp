#include "service/store/work/class_queue.hpp"

namespace vigil::service {

std::vector<WaitingClass> list_waiting_classes(Database& db) {
    std::vector<WaitingClass> waiting;
    auto rows = db.query(
        "SELECT c.id, c.name, COUNT(*), MIN(j.created_at_s), (SELECT x.project_id FROM job x "
        "WHERE x.machine_class_id = c.id AND x.state = 'queued' ORDER BY x.id LIMIT 1) "
        "FROM job j JOIN machine_class c ON c.id = j.machine_class_id WHERE j.state = 'queued' "
        "GROUP BY c.id ORDER BY c.id");
    while (rows.next()) {
        waiting.push_back(
            {rows.get<MachineClassId>(0),
             rows.get<std::string>(1),
             rows.get<std::int64_t>(2),
             rows.get<std::int64_t>(3),
             rows.get<ProjectId>(4)});
    }
    return waiting;
}

std::vector<ServingWorker> list_serving_workers(
    Database& db, MachineClassId machine_class, int limit) {
    std::vector<ServingWorker> workers;
    auto rows = db.query(
        "SELECT w.name, w.state, w.reason, w.last_seen_at_s, EXISTS (SELECT 1 FROM job j "
        "WHERE j.state = 'leased' AND j.worker_id = w.id) FROM worker w "
        "WHERE w.machine_class_id = ?1 ORDER BY w.last_seen_at_s DESC LIMIT ?2",
        machine_class,
        limit);
    while (rows.next()) {
        workers.push_back(
            {rows.get<std::string>(0),
             rows.get<std::string>(1),
             rows.get<std::string>(2),
             rows.get<std::int64_t>(3),
             rows.get<bool>(4)});
    }
    return workers;
}

}  // namespace vigil::service
