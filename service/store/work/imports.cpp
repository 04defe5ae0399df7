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

std::vector<JobId> list_former_jobs(Database& db, NightlyId nightly, MachineClassId machine_class) {
    return db.all<JobId>(
        "SELECT j.id FROM import i CROSS JOIN job j ON j.id = i.job_id "
        "WHERE i.nightly_id = ?1 AND i.former = 1 AND j.machine_class_id = ?2 ORDER BY j.id",
        nightly,
        machine_class);
}

std::vector<JobValue> list_job_values(Database& db, JobId job) {
    return db.all<JobValue>(
        "SELECT r.benchmark, r.variant, m.median FROM run r CROSS JOIN measurement m "
        "ON m.run_id = r.id WHERE r.job_id = ?1 ORDER BY r.id",
        job);
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
