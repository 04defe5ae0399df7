#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/enum_names.hpp"
#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// Table `trigger_request`: wishes that a project's nightly be looked at.

namespace vigil {

enum class TriggerCause {
    schedule,  ///< key "schedule:<due_s>"
    request,   ///< key "request:<idempotency key>"
    delivery,  ///< key "delivery:<external id>"
};
enum class TriggerState { waiting, done, failed };

template <>
struct EnumNames<TriggerCause> {
    static constexpr std::string_view noun = "trigger cause";
    static constexpr std::array names{
        std::pair{TriggerCause::schedule, std::string_view("schedule")},
        std::pair{TriggerCause::request, std::string_view("request")},
        std::pair{TriggerCause::delivery, std::string_view("delivery")}};
};

template <>
struct EnumNames<TriggerState> {
    static constexpr std::string_view noun = "trigger state";
    static constexpr std::array names{
        std::pair{TriggerState::waiting, std::string_view("waiting")},
        std::pair{TriggerState::done, std::string_view("done")},
        std::pair{TriggerState::failed, std::string_view("failed")}};
};

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

std::optional<Trigger> find_trigger(Database& db, TriggerId id);
std::optional<Trigger> find_trigger(Database& db, ProjectId project, std::string_view cause_key);

/// Waiting triggers of one project, or of all, oldest first.
std::vector<Trigger> list_waiting_triggers(
    Database& db, int limit = 100, std::optional<ProjectId> project = std::nullopt);

/// Adds one that waits. Event "trigger.requested".
TriggerId add_trigger(
    Database& db,
    ProjectId project,
    TriggerCause cause,
    std::string_view cause_key,
    const std::optional<std::string>& wanted,
    std::int64_t now_s);

/// How a trigger ends.
struct TriggerEnd {
    TriggerState state = TriggerState::done;
    std::string_view event;  ///< that tells of it
    std::string message;
    std::optional<NightlyId> nightly = {};
};

/// Ends a trigger that waits. @return false when it had ended before
bool end_trigger(Database& db, TriggerId id, const TriggerEnd& end, std::int64_t now_s);

}  // namespace vigil::service
