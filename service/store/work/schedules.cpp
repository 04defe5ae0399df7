#include "service/store/work/schedules.hpp"

namespace vigil::service {

std::optional<ScheduleRow> find_schedule(Database& db, ProjectId project) {
    auto row =
        db.query("SELECT cron, checked_at_s, since_s FROM schedule WHERE project_id = ?1", project);
    if (!row.next()) return std::nullopt;
    return ScheduleRow{row.get<std::string>(0), row.get<std::int64_t>(1), row.get<std::int64_t>(2)};
}

void put_schedule(Database& db, ProjectId project, const ScheduleRow& schedule) {
    db.execute(
        "INSERT INTO schedule (project_id, cron, checked_at_s, since_s) VALUES (?1, ?2, ?3, ?4) "
        "ON CONFLICT(project_id) DO UPDATE SET cron = ?2, checked_at_s = ?3, since_s = ?4",
        project,
        schedule.text,
        schedule.checked_at_s,
        schedule.since_s);
}

std::vector<std::pair<ProjectId, std::string>> list_scheduled(Database& db) {
    std::vector<std::pair<ProjectId, std::string>> projects;
    auto rows = db.query(
        "SELECT schedule.project_id, project.name FROM schedule JOIN project "
        "ON project.id = schedule.project_id");
    while (rows.next()) projects.emplace_back(rows.get<ProjectId>(0), rows.get<std::string>(1));
    return projects;
}

void remove_schedule(Database& db, ProjectId project) {
    db.execute("DELETE FROM schedule WHERE project_id = ?1", project);
}

}  // namespace vigil::service
