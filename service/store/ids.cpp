#include "service/store/ids.hpp"

namespace vigil::service {

ProjectId ensure_project(Database& db, std::string_view name, std::int64_t now_s) {
    if (const auto found = find_project(db, name)) return *found;
    return db.insert<ProjectId>(
        "INSERT INTO project(name, created_at_s) VALUES (?1, ?2)", name, now_s);
}

std::optional<ProjectId> find_project(Database& db, std::string_view name) {
    return db.find<ProjectId>("SELECT id FROM project WHERE name = ?1", name);
}

std::vector<ProjectName> list_project_names(Database& db) {
    return db.all<ProjectName>("SELECT id, name FROM project ORDER BY id");
}

std::string load_project_name(Database& db, ProjectId project) {
    return db.load<std::string>("project", "SELECT name FROM project WHERE id = ?1", project);
}

std::int64_t project_since_s(Database& db, ProjectId project) {
    return db.find<std::int64_t>("SELECT created_at_s FROM project WHERE id = ?1", project)
        .value_or(0);
}

MachineClassId ensure_machine_class(Database& db, std::string_view name) {
    if (const auto found = find_machine_class(db, name)) return *found;
    return db.insert<MachineClassId>("INSERT INTO machine_class(name) VALUES (?1)", name);
}

std::optional<MachineClassId> find_machine_class(Database& db, std::string_view name) {
    return db.find<MachineClassId>("SELECT id FROM machine_class WHERE name = ?1", name);
}

std::string load_machine_class_name(Database& db, MachineClassId machine_class) {
    return db.load<std::string>(
        "machine class", "SELECT name FROM machine_class WHERE id = ?1", machine_class);
}

void remove_machine_class(Database& db, MachineClassId machine_class) {
    db.execute("DELETE FROM machine_class WHERE id = ?1", machine_class);
}

}  // namespace vigil::service
