#include "service/store/work/claimers.hpp"

namespace vigil::service {

std::optional<Claimer> find_claimer(Database& db, WorkerId worker) {
    auto row = db.query(
        "SELECT w.name, w.state = 'active', w.machine_class_id, c.name, w.toolchain, w.instance, "
        "w.instance_before FROM worker w JOIN machine_class c ON c.id = w.machine_class_id "
        "WHERE w.id = ?1",
        worker);
    if (!row.next()) return std::nullopt;
    return Claimer{
        .id = worker,
        .name = row.get<std::string>(0),
        .is_active = row.get<bool>(1),
        .machine_class = row.get<MachineClassId>(2),
        .class_name = row.get<std::string>(3),
        .toolchain = row.get<std::string>(4),
        .instance = row.get<std::string>(5),
        .instance_before = row.get<std::string>(6)};
}

void note_instance(
    Database& db, WorkerId worker, const std::string& instance, const std::string& before) {
    db.execute(
        "UPDATE worker SET instance = ?2, instance_before = ?3 WHERE id = ?1",
        worker,
        instance,
        before);
}

void note_seen(Database& db, WorkerId worker, std::int64_t now_s) {
    db.execute("UPDATE worker SET last_seen_at_s = ?2 WHERE id = ?1", worker, now_s);
}

std::vector<ClassWorker> list_class_workers(Database& db, MachineClassId machine_class) {
    std::vector<ClassWorker> workers;
    auto rows = db.query(
        "SELECT id, state = 'active', last_seen_at_s FROM worker WHERE machine_class_id = ?1",
        machine_class);
    while (rows.next()) {
        workers.push_back({rows.get<WorkerId>(0), rows.get<bool>(1), rows.get<std::int64_t>(2)});
    }
    return workers;
}

}  // namespace vigil::service
