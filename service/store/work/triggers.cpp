#include "service/store/work/triggers.hpp"

#include "service/store/events.hpp"

namespace vigil::service {

namespace {

const std::string select_triggers =
    "SELECT id, project_id, cause, cause_key, revision, state, message, nightly_id, "
    "created_at_s, ended_at_s FROM trigger_request ";

}  // namespace

std::optional<Trigger> find_trigger(Database& db, ProjectId project, std::string_view cause_key) {
    return db.first<Trigger>(
        select_triggers + "WHERE project_id = ?1 AND cause_key = ?2", project, cause_key);
}

std::vector<Trigger> list_waiting_triggers(
    Database& db, int limit, std::optional<ProjectId> project) {
    return db.all<Trigger>(
        select_triggers +
            "WHERE state = 'waiting' AND (?2 IS NULL OR project_id = ?2) ORDER BY id LIMIT ?1",
        limit,
        project);
}

std::optional<std::string> find_newest_trigger_message(Database& db, ProjectId project) {
    return db.find<std::string>(
        "SELECT message FROM trigger_request WHERE project_id = ?1 ORDER BY id DESC LIMIT 1",
        project);
}

std::optional<std::int64_t> find_newest_trigger_s(Database& db, ProjectId project) {
    return db.find<std::int64_t>(
        "SELECT created_at_s FROM trigger_request WHERE project_id = ?1 ORDER BY id DESC LIMIT 1",
        project);
}

std::optional<std::int64_t> find_newest_answer_s(Database& db, ProjectId project) {
    return db.find<std::int64_t>(
        "SELECT MAX(ended_at_s) FROM trigger_request WHERE project_id = ?1 "
        "AND state = 'done' AND nightly_id IN (SELECT id FROM night)",
        project);
}

TriggerId add_trigger(
    Database& db,
    ProjectId project,
    TriggerCause cause,
    std::string_view cause_key,
    const std::optional<std::string>& wanted,
    const std::string& traceparent,
    std::int64_t now_s) {
    const auto id = db.insert<TriggerId>(
        "INSERT INTO trigger_request (project_id, cause, cause_key, revision, state, traceparent, "
        "created_at_s) VALUES (?1, ?2, ?3, ?4, 'waiting', ?5, ?6)",
        project,
        cause,
        cause_key,
        wanted,
        traceparent,
        now_s);
    const auto words = "asked for " + wanted.value_or("the newest nightly") + " by " +
                       std::string(to_string(cause));
    record_event(db, now_s, "trigger.requested", project, "trigger/" + to_string(id), words);
    return id;
}

bool end_trigger(Database& db, TriggerId id, const TriggerEnd& end, std::int64_t now_s) {
    const auto ended = db.execute(
        "UPDATE trigger_request SET state = ?2, nightly_id = ?3, message = ?4, ended_at_s = ?5 "
        "WHERE id = ?1 AND state = 'waiting'",
        id,
        end.state,
        end.nightly,
        end.message,
        now_s);
    if (ended == 0) return false;
    const auto project =
        db.find<ProjectId>("SELECT project_id FROM trigger_request WHERE id = ?1", id);
    const auto event = "trigger." + std::string(to_string(end.state));
    const auto kind = end.event.empty() ? event : std::string(end.event);
    record_event(db, now_s, kind, project, "trigger/" + to_string(id), end.message);
    return true;
}

std::optional<ScheduleRow> find_schedule(Database& db, ProjectId project) {
    return db.first<ScheduleRow>(
        "SELECT cron, checked_at_s, since_s FROM schedule WHERE project_id = ?1", project);
}

void put_schedule(Database& db, ProjectId project, const ScheduleRow& schedule) {
    db.execute(
        "INSERT INTO schedule (project_id, cron, checked_at_s, since_s) VALUES (?1, ?2, ?3, ?4) "
        "ON CONFLICT(project_id) DO UPDATE SET cron = ?2, checked_at_s = ?3, since_s = ?4",
        project,
        schedule);
}

std::vector<ProjectName> list_scheduled(Database& db) {
    return db.all<ProjectName>(
        "SELECT schedule.project_id, project.name FROM schedule JOIN project "
        "ON project.id = schedule.project_id");
}

void remove_schedule(Database& db, ProjectId project) {
    db.execute("DELETE FROM schedule WHERE project_id = ?1", project);
}

}  // namespace vigil::service
