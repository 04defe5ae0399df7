#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/enum_names.hpp"
#include "schema/model/ids.hpp"
#include "service/store/database.hpp"
#include "service/store/ids.hpp"

// Tables `trigger_request`, wishes that a project's nightly be looked at, and `schedule`, up to
// when each project's schedule was kept.

namespace vigil {

enum class TriggerCause {
    schedule,  ///< key "schedule:<due_s>", or "poll:<due_s>" of a project with a webhook
    request,   ///< key "request:<idempotency key>"
    delivery,  ///< key "delivery:<external id>"
};
enum class TriggerState { waiting, done, failed };

}  // namespace vigil

namespace vigil::service {

struct Trigger {
    TriggerId id;
    ProjectId project;
    TriggerCause cause = TriggerCause::request;
    std::string cause_key;              ///< each happens once in a project
    std::optional<std::string> wanted;  ///< full hash or version; nullopt: whatever is newest
    TriggerState state = TriggerState::waiting;
    std::string message;
    std::optional<NightlyId> nightly;  ///< what came of it
    std::int64_t created_at_s = 0;
    std::optional<std::int64_t> ended_at_s;
};

std::optional<Trigger> find_trigger(Database& db, ProjectId project, std::string_view cause_key);

/// Waiting triggers of one project, or of all, oldest first.
std::vector<Trigger> list_waiting_triggers(
    Database& db, int limit = 100, std::optional<ProjectId> project = std::nullopt);

/// What the newest trigger came to, in words; empty while it waits.
std::optional<std::string> find_newest_trigger_message(Database& db, ProjectId project);

/// When the newest trigger, of whatever cause, was made.
std::optional<std::int64_t> find_newest_trigger_s(Database& db, ProjectId project);

/// When a trigger last came to a night, new or known.
std::optional<std::int64_t> find_newest_answer_s(Database& db, ProjectId project);

/// Adds one that waits. Event "trigger.requested".
/// @param traceparent  of the trace that its night's work belongs to
TriggerId add_trigger(
    Database& db,
    ProjectId project,
    TriggerCause cause,
    std::string_view cause_key,
    const std::optional<std::string>& wanted,
    const std::string& traceparent,
    std::int64_t now_s);

/// How a trigger ends.
struct TriggerEnd {
    TriggerState state = TriggerState::done;
    std::string message;                    ///< when it is done without a nightly: why
    std::optional<NightlyId> nightly = {};  ///< new or known
    std::string_view event = {};            ///< that tells of it; empty: "trigger.STATE"
};

/// Ends a trigger that waits. @return false when it had ended before
bool end_trigger(Database& db, TriggerId id, const TriggerEnd& end, std::int64_t now_s);

struct ScheduleRow {
    std::string text;  ///< cron and time zone, to notice when it changes
    std::int64_t checked_at_s = 0;
    std::int64_t since_s = 0;  ///< from when on it is kept
};

std::optional<ScheduleRow> find_schedule(Database& db, ProjectId project);

/// Adds a project's schedule, or replaces it.
void put_schedule(Database& db, ProjectId project, const ScheduleRow& schedule);

/// The projects that have one, with their names.
std::vector<ProjectName> list_scheduled(Database& db);

void remove_schedule(Database& db, ProjectId project);

}  // namespace vigil::service
