#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// The rows that stand for names of the config.

namespace vigil::service {

/// The project's row, made when missing.
ProjectId ensure_project(Database& db, std::string_view name, std::int64_t now_s);
std::optional<ProjectId> find_project(Database& db, std::string_view name);
struct ProjectName {
    ProjectId id;
    std::string name;
};
/// All of them, in the order they came.
std::vector<ProjectName> list_project_names(Database& db);
std::string load_project_name(Database& db, ProjectId project);
/// When its row was made; 0: there is none.
std::int64_t project_since_s(Database& db, ProjectId project);

/// The machine class's row, made when missing.
MachineClassId ensure_machine_class(Database& db, std::string_view name);
std::optional<MachineClassId> find_machine_class(Database& db, std::string_view name);
std::string load_machine_class_name(Database& db, MachineClassId machine_class);
/// One without series, workers and jobs.
void remove_machine_class(Database& db, MachineClassId machine_class);

}  // namespace vigil::service
