#include "service/store/work/night_jobs.hpp"

#include <utility>

#include "service/store/json_columns.hpp"

namespace vigil::service {

bool has_open_jobs(Database& db, NightlyId nightly) {
    return db.has(
        "SELECT 1 FROM job WHERE nightly_id = ?1 AND purpose = 'nightly' "
        "AND state IN {open_jobs} LIMIT 1",
        nightly);
}

std::vector<JobId> list_open_judgement_jobs(Database& db, NightlyId nightly) {
    return db.all<JobId>(
        "SELECT id FROM job WHERE nightly_id = ?1 AND state IN {open_jobs} "
        "AND purpose IN {judgement_purposes}",
        nightly);
}

std::vector<JobId> list_idle_session_jobs(Database& db, NightlyId nightly) {
    return db.all<JobId>(
        "SELECT j.id FROM session x JOIN job j ON j.session_id = x.id "
        "AND j.state IN {open_jobs} WHERE x.nightly_id = ?1 AND NOT EXISTS "
        "(SELECT 1 FROM suspicion u WHERE u.nightly_id = ?1 AND u.state = 'confirming' "
        "AND u.session_id = x.id)",
        nightly);
}

void cancel_open_jobs(Database& db, NightlyId nightly, const std::string& why, std::int64_t now_s) {
    db.execute(
        "UPDATE attempt SET outcome = 'cancelled', ended_at_s = ?2 WHERE outcome IS NULL "
        "AND EXISTS (SELECT 1 FROM job j WHERE j.id = attempt.job_id "
        "AND j.attempt = attempt.number AND j.nightly_id = ?1 AND j.state = 'leased')",
        nightly,
        now_s);
    db.execute(
        "UPDATE job SET state = 'cancelled', message = ?2, ended_at_s = ?3, "
        "lease_expires_at_s = NULL WHERE nightly_id = ?1 AND state IN {open_jobs}",
        nightly,
        why,
        now_s);
}

std::vector<UndoneJobs> list_undone_jobs(Database& db, NightlyId nightly) {
    return db.all<UndoneJobs>(
        "SELECT state, COUNT(*), MAX(message) FROM job WHERE nightly_id = ?1 "
        "AND state IN {undone_jobs} GROUP BY state ORDER BY state DESC",
        nightly);
}

std::optional<MachineClassId> find_first_class(Database& db, NightlyId nightly) {
    return db.find<MachineClassId>(
        "SELECT machine_class_id FROM job WHERE nightly_id = ?1 AND purpose = 'nightly' "
        "AND state = 'done' ORDER BY id LIMIT 1",
        nightly);
}

std::optional<std::string> find_job_message(Database& db, NightlyId nightly) {
    return db.find<std::string>(
        "SELECT message FROM job WHERE nightly_id = ?1 AND message <> '' ORDER BY id LIMIT 1",
        nightly);
}

std::map<ClassVariant, std::string> list_planned_variants(Database& db, NightlyId nightly) {
    struct Planned {
        ClassVariant variant;
        std::string plan;
    };
    std::map<ClassVariant, std::string> planned;
    for (auto& [variant, plan] : db.all<Planned>(
             "SELECT b.value ->> 'benchmark', b.value ->> 'variant', j.machine_class_id, b.value "
             "FROM job j, json_each(j.plan, '$.benchmarks') b "
             "WHERE j.nightly_id = ?1 AND j.purpose = 'nightly'",
             nightly)) {
        planned[variant] = std::move(plan);
    }
    return planned;
}

// Workers of one class may differ in their toolchains: the class can build it where one of them
// can.
std::optional<MeasuredNight> find_measured_night(Database& db, JobId job) {
    return db.first<MeasuredNight>(
        "SELECT n.id, j.priority FROM job j JOIN nightly n ON n.id = j.nightly_id "
        "WHERE j.id = ?1 AND n.state = 'measuring'",
        job);
}

std::vector<UnbuiltJobs> list_unbuilt_jobs(
    Database& db, NightlyId nightly, BuildId build, const Digest& recipe, int tries) {
    return db.all<UnbuiltJobs>(
        "SELECT j.machine_class_id, j.plan, MAX(j.priority) FROM job j WHERE j.nightly_id = ?1 "
        "AND j.purpose = 'nightly' GROUP BY 1, 2 HAVING COUNT(*) <= ?4 "
        "AND SUM(j.state = 'done') > 0 "
        "AND SUM(EXISTS (SELECT 1 FROM run r WHERE r.job_id = j.id)) = 0 "
        "AND json_array_length(j.plan, '$.steps') > 0 "
        "AND EXISTS (SELECT 1 FROM product p WHERE p.build_id = ?2 AND p.recipe_digest = ?3 "
        "AND EXISTS (SELECT 1 FROM worker w WHERE w.machine_class_id = j.machine_class_id "
        "AND w.toolchain = p.toolchain AND w.state = 'active') "
        "AND (p.state = 'built' OR p.failures < ?4)) "
        "AND EXISTS (SELECT 1 FROM product p WHERE p.build_id = ?2 AND p.recipe_digest = ?3 "
        "AND EXISTS (SELECT 1 FROM worker w WHERE w.machine_class_id = j.machine_class_id "
        "AND w.toolchain = p.toolchain AND w.state = 'active') AND p.failures > 0) "
        "ORDER BY MIN(j.id)",
        nightly,
        build,
        recipe,
        tries);
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
