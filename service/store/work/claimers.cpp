#include "service/store/work/claimers.hpp"

namespace vigil::service {

std::optional<Claimer> find_claimer(Database& db, WorkerId worker) {
    return db.first<Claimer>(
        "SELECT w.id, w.name, w.state = 'active', w.machine_class_id, c.name, w.toolchain, "
        "w.instance, w.instance_before FROM worker w "
        "JOIN machine_class c ON c.id = w.machine_class_id WHERE w.id = ?1",
        worker);
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

std::vector<ClassWorker> list_class_workers(Database& db, MachineClassId machine_class, int limit) {
    return db.all<ClassWorker>(
        std::string("SELECT ") + class_worker_columns +
            " FROM worker w WHERE w.machine_class_id = ?1 ORDER BY w.last_seen_at_s DESC LIMIT ?2",
        machine_class,
        limit);
}

std::vector<WaitingClass> list_waiting_classes(Database& db) {
    return db.all<WaitingClass>(
        "SELECT c.id, c.name, COUNT(*), MIN(j.created_at_s), (SELECT x.project_id FROM job x "
        "WHERE x.machine_class_id = c.id AND x.state = 'queued' ORDER BY x.id LIMIT 1) "
        "FROM job j JOIN machine_class c ON c.id = j.machine_class_id WHERE j.state = 'queued' "
        "GROUP BY c.id ORDER BY c.id");
}

std::vector<std::string> list_classes_with_work(Database& db) {
    return db.all<std::string>(
        "SELECT name FROM machine_class c WHERE EXISTS "
        "(SELECT 1 FROM job j WHERE j.machine_class_id = c.id AND j.state = 'queued')");
}

}  // namespace vigil::service
