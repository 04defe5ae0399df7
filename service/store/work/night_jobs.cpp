#include "service/store/work/night_jobs.hpp"

namespace vigil::service {

namespace {

std::vector<JobId> read_job_ids(Query rows) {
    std::vector<JobId> jobs;
    while (rows.next()) jobs.push_back(rows.get<JobId>(0));
    return jobs;
}

}  // namespace

bool has_open_jobs(Database& db, NightlyId nightly) {
    return db
        .find<int>(
            "SELECT 1 FROM job WHERE nightly_id = ?1 AND purpose = 'nightly' "
            "AND state IN ('queued', 'leased') LIMIT 1",
            nightly)
        .has_value();
}

std::vector<JobId> list_open_judgement_jobs(Database& db, NightlyId nightly) {
    return read_job_ids(db.query(
        "SELECT id FROM job WHERE nightly_id = ?1 AND state IN ('queued', 'leased') "
        "AND purpose IN ('nightly', 'confirm', 'request')",
        nightly));
}

std::vector<JobId> list_idle_session_jobs(Database& db, NightlyId nightly) {
    return read_job_ids(db.query(
        "SELECT j.id FROM session x JOIN job j ON j.session_id = x.id "
        "AND j.state IN ('queued', 'leased') WHERE x.nightly_id = ?1 AND NOT EXISTS "
        "(SELECT 1 FROM suspicion u WHERE u.nightly_id = ?1 AND u.state = 'confirming' "
        "AND u.session_id = x.id)",
        nightly));
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
        "lease_expires_at_s = NULL WHERE nightly_id = ?1 AND state IN ('queued', 'leased')",
        nightly,
        why,
        now_s);
}

std::vector<UndoneJobs> list_undone_jobs(Database& db, NightlyId nightly) {
    std::vector<UndoneJobs> undone;
    auto rows = db.query(
        "SELECT state, COUNT(*), MAX(message) FROM job WHERE nightly_id = ?1 "
        "AND state IN ('parked', 'failed', 'cancelled') GROUP BY state ORDER BY state DESC",
        nightly);
    while (rows.next()) {
        undone.push_back(
            {rows.get<JobState>(0), rows.get<std::int64_t>(1), rows.get<std::string>(2)});
    }
    return undone;
}

std::optional<std::string> find_job_message(Database& db, NightlyId nightly) {
    return db.find<std::string>(
        "SELECT message FROM job WHERE nightly_id = ?1 AND message <> '' ORDER BY id LIMIT 1",
        nightly);
}

std::map<ClassVariant, std::string> list_planned_variants(Database& db, NightlyId nightly) {
    std::map<ClassVariant, std::string> planned;
    auto rows = db.query(
        "SELECT b.value ->> 'benchmark', b.value ->> 'variant', j.machine_class_id, b.value "
        "FROM job j, json_each(j.plan, '$.benchmarks') b "
        "WHERE j.nightly_id = ?1 AND j.purpose = 'nightly'",
        nightly);
    while (rows.next()) {
        planned[{rows.get<std::string>(0), rows.get<std::string>(1), rows.get<MachineClassId>(2)}] =
            rows.get<std::string>(3);
    }
    return planned;
}

// Workers of one class may differ in their toolchains: the class can build it where one of them
// can.
std::vector<UnbuiltJobs> list_unbuilt_jobs(
    Database& db, NightlyId nightly, BuildId build, const Digest& recipe, int tries) {
    std::vector<UnbuiltJobs> unbuilt;
    auto rows = db.query(
        "SELECT j.machine_class_id, j.plan, MAX(j.priority) FROM job j WHERE j.nightly_id = ?1 "
        "AND j.purpose = 'nightly' GROUP BY 1, 2 HAVING COUNT(*) <= ?4 "
        "AND SUM(j.state = 'done') > 0 "
        "AND SUM(EXISTS (SELECT 1 FROM run r WHERE r.job_id = j.id)) = 0 "
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
    while (rows.next()) {
        unbuilt.push_back(
            {rows.get<MachineClassId>(0), rows.get<std::string>(1), rows.get<int>(2)});
    }
    return unbuilt;
}

}  // namespace vigil::service
