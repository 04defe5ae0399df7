#include "service/store/work/triggers.hpp"

#include "service/store/events.hpp"

namespace vigil::service {

namespace {

std::vector<Trigger> read_triggers(Query rows) {
    std::vector<Trigger> triggers;
    while (rows.next()) {
        triggers.push_back(
            {.id = rows.get<TriggerId>(0),
             .project = rows.get<ProjectId>(1),
             .cause = rows.get<TriggerCause>(2),
             .cause_key = rows.get<std::string>(3),
             .wanted = rows.get<std::optional<std::string>>(4),
             .state = rows.get<TriggerState>(5),
             .message = rows.get<std::string>(6),
             .nightly = rows.get<std::optional<NightlyId>>(7),
             .created_at_s = rows.get<std::int64_t>(8),
             .ended_at_s = rows.get<std::optional<std::int64_t>>(9)});
    }
    return triggers;
}

constexpr const char* trigger_columns =
    "SELECT id, project_id, cause, cause_key, revision, state, message, nightly_id, "
    "created_at_s, ended_at_s FROM trigger_request ";

std::string select_triggers(const char* rest) {
    return trigger_columns + std::string(rest);
}

std::optional<Trigger> only(std::vector<Trigger> found) {
    if (found.empty()) return std::nullopt;
    return std::move(found.front());
}

}  // namespace

std::optional<Trigger> find_trigger(Database& db, TriggerId id) {
    return only(read_triggers(db.query(select_triggers("WHERE id = ?1"), id)));
}

std::optional<Trigger> find_trigger(Database& db, ProjectId project, std::string_view cause_key) {
    return only(read_triggers(
        db.query(select_triggers("WHERE project_id = ?1 AND cause_key = ?2"), project, cause_key)));
}

std::vector<Trigger> list_waiting_triggers(
    Database& db, int limit, std::optional<ProjectId> project) {
    return read_triggers(db.query(
        select_triggers("WHERE state = 'waiting' AND (?2 IS NULL OR project_id = ?2) "
                        "ORDER BY id LIMIT ?1"),
        limit,
        project));
}

TriggerId add_trigger(
    Database& db,
    ProjectId project,
    TriggerCause cause,
    std::string_view cause_key,
    const std::optional<std::string>& wanted,
    std::int64_t now_s) {
    db.execute(
        "INSERT INTO trigger_request (project_id, cause, cause_key, revision, state, created_at_s) "
        "VALUES (?1, ?2, ?3, ?4, 'waiting', ?5)",
        project,
        cause,
        cause_key,
        wanted,
        now_s);
    const TriggerId id{db.last_insert_id()};
    record_event(
        db,
        now_s,
        "trigger.requested",
        project,
        "trigger/" + to_string(id),
        "asked for " + wanted.value_or("the newest nightly") + " by " +
            std::string(to_string(cause)));
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
    record_event(db, now_s, end.event, project, "trigger/" + to_string(id), end.message);
    return true;
}

}  // namespace vigil::service
