#include "service/store/ids.hpp"

namespace vigil::service {

ProjectId ensure_project(Database& db, std::string_view name, std::int64_t now_s) {
    if (const auto found = find_project(db, name)) return *found;
    db.execute("INSERT INTO project(name, created_at_s) VALUES (?1, ?2)", name, now_s);
    return ProjectId{db.last_insert_id()};
}

std::optional<ProjectId> find_project(Database& db, std::string_view name) {
    return db.find<ProjectId>("SELECT id FROM project WHERE name = ?1", name);
}

std::vector<std::pair<ProjectId, std::string>> list_project_names(Database& db) {
    std::vector<std::pair<ProjectId, std::string>> projects;
    auto rows = db.query("SELECT id, name FROM project ORDER BY id");
    while (rows.next()) projects.emplace_back(rows.get<ProjectId>(0), rows.get<std::string>(1));
    return projects;
}

std::string load_project_name(Database& db, ProjectId project) {
    auto name = db.find<std::string>("SELECT name FROM project WHERE id = ?1", project);
    if (!name) throw Error(Errc::not_found, "there is no project " + to_string(project));
    return std::move(*name);
}

std::int64_t project_since_s(Database& db, ProjectId project) {
    return db.find<std::int64_t>("SELECT created_at_s FROM project WHERE id = ?1", project)
        .value_or(0);
}

MachineClassId ensure_machine_class(Database& db, std::string_view name) {
    if (const auto found = find_machine_class(db, name)) return *found;
    db.execute("INSERT INTO machine_class(name) VALUES (?1)", name);
    return MachineClassId{db.last_insert_id()};
}

std::optional<MachineClassId> find_machine_class(Database& db, std::string_view name) {
    return db.find<MachineClassId>("SELECT id FROM machine_class WHERE name = ?1", name);
}

std::string load_machine_class_name(Database& db, MachineClassId machine_class) {
    auto name = db.find<std::string>("SELECT name FROM machine_class WHERE id = ?1", machine_class);
    if (!name) {
        throw Error(Errc::not_found, "there is no machine class " + to_string(machine_class));
    }
    return std::move(*name);
}

}  // namespace vigil::service
