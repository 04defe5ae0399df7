#include "service/store/work/machine_time.hpp"

namespace vigil::service {

std::vector<MachineTime> list_night_time(Database& db, NightlyId nightly) {
    return db.all<MachineTime>(
        "SELECT c.name, t.work, sum(t.seconds), sum(t.build_s) FROM (SELECT machine_class_id, "
        "work, seconds, build_s FROM attempt_time WHERE nightly_id = ?1 UNION ALL "
        "SELECT machine_class_id, purpose, seconds, build_s FROM rolled_jobs "
        "WHERE nightly_id = ?1 AND seconds > 0) t "
        "JOIN machine_class c ON c.id = t.machine_class_id GROUP BY 1, 2 ORDER BY 1, 2",
        nightly);
}

std::vector<DayTime> list_day_time(
    Database& db, ProjectId project, std::int64_t since_day, std::int64_t until_day) {
    return db.all<DayTime>(
        "SELECT d.day, c.name, d.work, d.seconds, d.build_s FROM day_time d "
        "JOIN machine_class c ON c.id = d.machine_class_id WHERE d.project_id = ?1 "
        "AND d.day >= ?2 AND d.day < ?3 ORDER BY d.day DESC, c.name, d.work",
        project,
        since_day,
        until_day);
}

std::vector<WorkTime> list_class_time(
    Database& db, ProjectId project, std::int64_t day, MachineClassId machine_class) {
    return db.all<WorkTime>(
        "SELECT work, seconds FROM day_time WHERE project_id = ?1 AND day = ?2 "
        "AND machine_class_id = ?3",
        project,
        day,
        machine_class);
}

std::int64_t load_day_seconds(
    Database& db, ProjectId project, std::int64_t day, std::int64_t now_s) {
    return *db.find<std::int64_t>(
        "SELECT (SELECT ifnull(sum(seconds), 0) FROM day_time WHERE project_id = ?1 AND day = ?2) "
        "+ (SELECT ifnull(sum(max(?3 - a.claimed_at_s, 0)), 0) FROM attempt a "
        "INDEXED BY attempt_open CROSS JOIN job j ON j.id = a.job_id WHERE a.outcome IS NULL "
        "AND j.project_id = ?1 AND a.claimed_at_s / 86400 = ?2)",
        project,
        day,
        now_s);
}

}  // namespace vigil::service
