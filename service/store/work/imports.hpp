#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/model/ids.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/database.hpp"

// The table `import`: results that were measured elsewhere, as they were taken.

namespace vigil::service {

struct NewImport {
    ProjectId project;
    Digest digest;  ///< of what was sent
    NightlyId nightly;
    JobId job;            ///< that holds its runs
    bool closes = false;  ///< its sender says that the night has all its results
    std::string token;    ///< name of the one that sent it
};
void add_import(Database& db, const NewImport& import, std::int64_t now_s);

struct ImportRow {
    ImportId id;
    ProjectId project;
    NightlyId nightly;
    JobId job;
};
/// @throws Error{not_found}
ImportRow load_import(Database& db, ImportId import);

/// Whether another job than this one holds what was sent for the class.
/// @param project  nullopt: of any
bool has_import_beside(
    Database& db, JobId job, MachineClassId machine_class, std::optional<ProjectId> project);

/// All that were taken for the job of this one: they go, and may be sent anew.
void remove_imports(Database& db, const ImportRow& import);

/// The night that the same results were taken for before.
std::optional<NightlyId> find_import(Database& db, ProjectId project, const Digest& digest);

/// Whether nothing more is waited for: its sender said so, or nothing came since after `quiet_s`.
bool is_closed(Database& db, NightlyId nightly, std::int64_t quiet_s);

/// Says that a night has all its results. @return  whether it has any
bool close_imports(Database& db, NightlyId nightly);

}  // namespace vigil::service
