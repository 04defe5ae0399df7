#include "service/store/nights/named.hpp"

namespace vigil::service {

std::optional<std::string> find_version(Database& db, NightlyId nightly) {
    return db.find<std::string>("SELECT version FROM nightly WHERE id = ?1", nightly);
}

std::optional<BuildId> find_build_of(
    Database& db, ProjectId project, const std::string& version_or_revision) {
    return db.find<BuildId>(
        "SELECT build_id FROM nightly WHERE id IN (SELECT id FROM nightly WHERE project_id = ?1 "
        "AND version = ?2 UNION SELECT id FROM nightly WHERE +project_id = ?1 AND revision = ?2) "
        "ORDER BY id LIMIT 1",
        project,
        version_or_revision);
}

std::optional<NightlyId> find_night_before(Database& db, ProjectId project, NightlyId nightly) {
    return db.find<NightlyId>(
        "SELECT MAX(id) FROM night WHERE project_id = ?1 AND id < ?2 AND state <> 'failed'",
        project,
        nightly);
}

}  // namespace vigil::service
