#include "service/store/work/class_builds.hpp"

#include "service/store/json_columns.hpp"

namespace vigil::service {

std::vector<NeededBuildRow> list_needed_builds(
    Database& db, MachineClassId machine_class, ProjectId project, int looked_at) {
    // The other columns are those of the row with the highest priority, as SQLite has it.
    return db.all<NeededBuildRow>(
        "SELECT b.id, b.input_kind, max(w.priority), w.purpose, w.nightly_id FROM "
        "(SELECT id, priority, purpose, nightly_id FROM job INDEXED BY job_waiting "
        "WHERE machine_class_id = ?1 AND project_id = ?2 AND state = 'queued' "
        "ORDER BY priority DESC, id LIMIT ?3) w CROSS JOIN job_build jb ON jb.job_id = w.id "
        "CROSS JOIN build b ON b.id = jb.build_id WHERE b.input_digest IS NOT NULL "
        "GROUP BY b.id ORDER BY max(w.priority) DESC, b.id",
        machine_class,
        project,
        looked_at);
}

std::vector<std::string> list_class_toolchains(Database& db, MachineClassId machine_class) {
    auto active = db.all<std::string>(
        "SELECT DISTINCT toolchain FROM worker WHERE machine_class_id = ?1 AND state = 'active' "
        "ORDER BY toolchain",
        machine_class);
    if (!active.empty()) return active;
    return db.all<std::string>(
        "SELECT toolchain FROM worker WHERE machine_class_id = ?1 "
        "ORDER BY last_seen_at_s DESC, id LIMIT 1",
        machine_class);
}

std::vector<ToolchainProduct> list_products(Database& db, BuildId build, const Digest& recipe) {
    return db.all<ToolchainProduct>(
        "SELECT toolchain, state = 'built', failures FROM product WHERE build_id = ?1 "
        "AND recipe_digest = ?2 ORDER BY id",
        build,
        recipe);
}

std::optional<BuildJob> find_newest_build_job(
    Database& db, MachineClassId machine_class, BuildId build) {
    return db.first<BuildJob>(
        "SELECT j.id, j.state, j.priority FROM job_build jb CROSS JOIN job j ON j.id = jb.job_id "
        "WHERE jb.build_id = ?2 AND j.machine_class_id = ?1 ORDER BY j.id DESC LIMIT 1",
        machine_class,
        build);
}

std::optional<JobId> find_oldest_waiting(
    Database& db, MachineClassId machine_class, BuildId build) {
    return db.find<JobId>(
        "SELECT j.id FROM job_build jb CROSS JOIN job j ON j.id = jb.job_id "
        "WHERE jb.build_id = ?2 AND j.machine_class_id = ?1 AND j.state = 'queued' "
        "ORDER BY j.id LIMIT 1",
        machine_class,
        build);
}

void set_priority(Database& db, JobId job, int priority) {
    db.execute("UPDATE job SET priority = ?2 WHERE id = ?1", job, priority);
}

std::vector<JobRow> list_waiting_before(
    Database& db, MachineClassId machine_class, BuildId build, JobId before) {
    auto jobs = list_queued_for(db, build);
    std::erase_if(jobs, [&](const JobRow& job) {
        return job.machine_class != machine_class || job.id.value >= before.value;
    });
    return jobs;
}

int count_waiting_for_builds(
    Database& db, MachineClassId machine_class, MachineClassId build_class) {
    return *db.find<int>(
        "SELECT count(DISTINCT j.id) FROM (SELECT id FROM job INDEXED BY job_waiting "
        "WHERE machine_class_id = ?2 AND state = 'queued' UNION ALL SELECT id FROM job "
        "INDEXED BY job_leased WHERE machine_class_id = ?2 AND state = 'leased') m "
        "CROSS JOIN job_build mb ON mb.job_id = m.id CROSS JOIN job_build jb "
        "ON jb.build_id = mb.build_id CROSS JOIN job j ON j.id = jb.job_id "
        "WHERE j.machine_class_id = ?1 AND j.state = 'queued' AND j.only_worker_id IS NULL",
        machine_class,
        build_class);
}

}  // namespace vigil::service
