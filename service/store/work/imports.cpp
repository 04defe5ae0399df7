#include "service/store/work/imports.hpp"

namespace vigil::service {

void add_import(Database& db, const NewImport& import, std::int64_t now_s) {
    db.execute(
        "INSERT INTO import(project_id, digest, nightly_id, job_id, closes, received_at_s, token) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        import.project,
        import.digest,
        import.nightly,
        import.job,
        import.closes ? 1 : 0,
        now_s,
        import.token);
}

ImportRow load_import(Database& db, ImportId import) {
    return db.load<ImportRow>(
        "import", "SELECT id, project_id, nightly_id, job_id FROM import WHERE id = ?1", import);
}

bool has_import_beside(
    Database& db, JobId job, MachineClassId machine_class, std::optional<ProjectId> project) {
    return db.has(
        "SELECT 1 FROM import i CROSS JOIN job j ON j.id = i.job_id WHERE i.job_id <> ?1 "
        "AND j.machine_class_id = ?2 AND (?3 IS NULL OR i.project_id = ?3) LIMIT 1",
        job,
        machine_class,
        project);
}

void remove_imports(Database& db, const ImportRow& import) {
    db.execute(
        "DELETE FROM import WHERE nightly_id = ?1 AND job_id = ?2", import.nightly, import.job);
}

std::optional<NightlyId> find_import(Database& db, ProjectId project, const Digest& digest) {
    return db.find<NightlyId>(
        "SELECT nightly_id FROM import WHERE project_id = ?1 AND digest = ?2", project, digest);
}

bool is_closed(Database& db, NightlyId nightly, std::int64_t quiet_s) {
    return db.has("SELECT 1 FROM import WHERE nightly_id = ?1 AND closes = 1 LIMIT 1", nightly) ||
           !db.has(
               "SELECT 1 FROM import WHERE nightly_id = ?1 AND received_at_s > ?2 LIMIT 1",
               nightly,
               quiet_s);
}

bool close_imports(Database& db, NightlyId nightly) {
    return db.execute("UPDATE import SET closes = 1 WHERE nightly_id = ?1", nightly) > 0;
}

}  // namespace vigil::service
