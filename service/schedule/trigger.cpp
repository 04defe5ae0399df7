#include "service/schedule/trigger.hpp"

#include <algorithm>
#include <map>

#include "schema/model/error.hpp"
#include "service/store/events.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t max_key = 200;
constexpr std::size_t max_wanted = 200;

constexpr std::string_view columns =
    "SELECT id, project_id, cause, cause_key, revision, state, message, nightly_id, created_at_s, "
    "ended_at_s FROM trigger_request ";

Trigger read(const Query& row) {
    Trigger trigger;
    trigger.id = row.get<TriggerId>(0);
    trigger.project = row.get<ProjectId>(1);
    trigger.cause = row.get<TriggerCause>(2);
    trigger.cause_key = row.get<std::string>(3);
    trigger.wanted = row.get<std::optional<std::string>>(4);
    trigger.state = row.get<TriggerState>(5);
    trigger.message = row.get<std::string>(6);
    trigger.nightly = row.get<std::optional<NightlyId>>(7);
    trigger.created_at_s = row.get<std::int64_t>(8);
    trigger.ended_at_s = row.get<std::optional<std::int64_t>>(9);
    return trigger;
}

std::string subject_of(TriggerId id) {
    return "trigger/" + to_string(id);
}

bool end_trigger(
    Database& db,
    TriggerId id,
    TriggerState state,
    std::optional<NightlyId> nightly,
    const std::string& message,
    std::int64_t now_s) {
    const auto changed = db.execute(
        "UPDATE trigger_request SET state = ?2, nightly_id = ?3, message = ?4, ended_at_s = ?5 "
        "WHERE id = ?1 AND state = 'waiting'",
        id,
        state,
        nightly,
        message,
        now_s);
    if (changed == 0) return false;
    const auto trigger = find_trigger(db, id);
    const std::string kind = "trigger." + std::string(to_string(state));
    record_event(db, now_s, kind, trigger->project, subject_of(id), message);
    return true;
}

// A push that nobody has looked at yet is part of a newer one.
void join_trigger(Database& db, const Trigger& older, const Trigger& newer, std::int64_t now_s) {
    const auto message = "joined with trigger " + to_string(newer.id) + ": a newer push came";
    db.execute(
        "UPDATE trigger_request SET state = 'done', message = ?2, ended_at_s = ?3 WHERE id = ?1",
        older.id,
        message,
        now_s);
    db.execute(
        "UPDATE delivery SET message = message || '; ' || ?2 "
        "WHERE external_id = substr(?1, length('delivery:') + 1) AND ?1 LIKE 'delivery:%'",
        older.cause_key,
        message);
    record_event(db, now_s, "trigger.joined", older.project, subject_of(older.id), message);
}

}  // namespace

TriggerId request_nightly(
    Database& db,
    ProjectId project,
    TriggerCause cause,
    std::string_view cause_key,
    const std::optional<std::string>& wanted,
    std::int64_t now_s) {
    if (cause_key.empty() || cause_key.size() > max_key) {
        throw Error(Errc::invalid_argument, "a trigger's key has 1 to 200 characters");
    }
    if (wanted && (wanted->empty() || wanted->size() > max_wanted)) {
        throw Error(
            Errc::invalid_argument, "a trigger's revision or version has 1 to 200 characters");
    }
    if (const auto before = find_trigger(db, project, cause_key)) {
        if (before->wanted == wanted && before->cause == cause) return before->id;
        throw Error(
            Errc::conflict,
            "the key of trigger " + to_string(before->id) +
                " cannot ask for something else; use a new key");
    }
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
        subject_of(id),
        "asked for " + wanted.value_or("the newest nightly") + " by " +
            std::string(to_string(cause)));
    return id;
}

std::vector<Trigger> list_waiting_triggers(
    Database& db, int limit, std::optional<ProjectId> project) {
    auto rows = db.query(
        std::string(columns) +
            "WHERE state = 'waiting' AND (?2 IS NULL OR project_id = ?2) ORDER BY id LIMIT ?1",
        limit,
        project);
    std::vector<Trigger> triggers;
    while (rows.next()) triggers.push_back(read(rows));
    return triggers;
}

std::vector<Trigger> take_due_triggers(
    Database& db,
    std::int64_t settle_s,
    std::int64_t now_s,
    int limit,
    std::optional<ProjectId> project) {
    constexpr int many = 10'000;
    std::vector<Trigger> due;
    std::map<ProjectId, std::vector<Trigger>> pushes;
    for (auto& trigger : list_waiting_triggers(db, many, project)) {
        const bool settles = trigger.cause == TriggerCause::delivery;
        (settles ? pushes[trigger.project] : due).push_back(std::move(trigger));
    }
    for (auto& [whose, waiting] : pushes) {
        const auto age_s = now_s - waiting.front().created_at_s;
        if (age_s >= 0 && age_s < settle_s) continue;  // below 0: the clock was ahead when it came
        const auto newest = std::move(waiting.back());
        waiting.pop_back();
        for (const auto& one : waiting) join_trigger(db, one, newest, now_s);
        due.push_back(newest);
    }
    std::sort(due.begin(), due.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
    if (due.size() > static_cast<std::size_t>(limit)) {
        due.erase(due.begin() + limit, due.end());
    }
    return due;
}

std::optional<Trigger> find_trigger(Database& db, TriggerId id) {
    auto rows = db.query(std::string(columns) + "WHERE id = ?1", id);
    if (!rows.next()) return std::nullopt;
    return read(rows);
}

std::optional<Trigger> find_trigger(Database& db, ProjectId project, std::string_view cause_key) {
    auto rows = db.query(
        std::string(columns) + "WHERE project_id = ?1 AND cause_key = ?2", project, cause_key);
    if (!rows.next()) return std::nullopt;
    return read(rows);
}

bool finish_trigger(
    Database& db,
    TriggerId id,
    std::optional<NightlyId> nightly,
    const std::string& message,
    std::int64_t now_s) {
    return end_trigger(db, id, TriggerState::done, nightly, message, now_s);
}

bool fail_trigger(Database& db, TriggerId id, const std::string& message, std::int64_t now_s) {
    return end_trigger(db, id, TriggerState::failed, std::nullopt, message, now_s);
}

}  // namespace vigil::service
