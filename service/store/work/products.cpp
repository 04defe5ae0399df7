#include "service/store/work/products.hpp"

namespace vigil::service {

std::optional<std::string> find_product_name(Database& db, BuildId build) {
    return db.find<std::string>(
        "SELECT toolchain || digest FROM product WHERE build_id = ?1 AND state = 'built' "
        "ORDER BY toolchain LIMIT 1",
        build);
}

std::optional<double> find_usual_build_ns(Database& db, ProjectId project) {
    return db.find<double>(
        "SELECT AVG(duration_ns) FROM (SELECT p.duration_ns FROM product p "
        "CROSS JOIN build b ON b.id = p.build_id WHERE b.project_id = ?1 AND p.state = 'built' "
        "ORDER BY p.id DESC LIMIT 20)",
        project);
}

std::optional<BuildId> find_built_before(Database& db, NightlyId nightly) {
    return db.find<BuildId>(
        "SELECT o.build_id FROM nightly n JOIN night o ON o.project_id = n.project_id "
        "AND o.id < n.id AND o.revision <> n.revision WHERE n.id = ?1 AND EXISTS (SELECT 1 "
        "FROM product p WHERE p.build_id = o.build_id AND p.state = 'built') "
        "ORDER BY o.id DESC LIMIT 1",
        nightly);
}

std::optional<MachineClassId> find_first_class(Database& db, NightlyId nightly) {
    return db.find<MachineClassId>(
        "SELECT machine_class_id FROM job WHERE nightly_id = ?1 AND purpose = 'nightly' "
        "AND state = 'done' ORDER BY id LIMIT 1",
        nightly);
}

bool is_under_way(Database& db, BuildId build) {
    return db
        .find<int>(
            "SELECT 1 FROM job_build jb JOIN job j ON j.id = jb.job_id WHERE jb.build_id = ?1 "
            "AND j.state IN ('queued', 'leased') LIMIT 1",
            build)
        .has_value();
}

int fail_unbuildable_jobs(
    Database& db,
    NightlyId nightly,
    BuildId build,
    const Digest& recipe,
    int failures,
    std::int64_t now_s) {
    const auto failed = db.execute(
        "UPDATE job SET state = 'failed', ended_at_s = ?5, message = 'its build failed ' || ?4 || "
        "' times' WHERE nightly_id = ?1 AND purpose = 'nightly' AND state = 'queued' "
        "AND EXISTS (SELECT 1 FROM product p JOIN worker w ON w.toolchain = p.toolchain "
        "WHERE w.machine_class_id = job.machine_class_id AND p.build_id = ?2 "
        "AND p.recipe_digest = ?3 AND p.state = 'failed' AND p.failures >= ?4) "
        "AND NOT EXISTS (SELECT 1 FROM product p JOIN worker w ON w.toolchain = p.toolchain "
        "WHERE w.machine_class_id = job.machine_class_id AND p.build_id = ?2 "
        "AND p.recipe_digest = ?3 AND p.state = 'built')",
        nightly,
        build,
        recipe,
        failures,
        now_s);
    return static_cast<int>(failed);
}

}  // namespace vigil::service
