#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/enum_names.hpp"
#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

// Wishes that a project's nightly be looked at (table trigger_request).

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
    std::string cause_key;
    std::optional<std::string> wanted;  ///< full hash or version; nullopt: whatever is newest
    TriggerState state = TriggerState::waiting;
    std::string message;
    std::optional<NightlyId> nightly;  ///< what came of it
    std::int64_t created_at_s = 0;
    std::optional<std::int64_t> ended_at_s;
};

/// Asks for a nightly once: the same project and cause key again is the same trigger, whatever came
/// of it. A new one is an event "trigger.requested".
/// @param cause_key  1..200 characters
/// @throws Error{conflict} when the key was used for another wish
TriggerId request_nightly(
    Database& db,
    ProjectId project,
    TriggerCause cause,
    std::string_view cause_key,
    const std::optional<std::string>& wanted,
    std::int64_t now_s);

/// Waiting triggers of one project, or of all, oldest first.
std::vector<Trigger> list_waiting_triggers(
    Database& db, int limit = 100, std::optional<ProjectId> project = std::nullopt);

/// The waiting triggers that may be looked at now, oldest first; of one project, or of all.
/// Deliveries of one project settle:
/// from `settle_s` after the oldest of them on, the newest is due and the others are joined to it,
/// which ends them ("trigger.joined").
std::vector<Trigger> take_due_triggers(
    Database& db,
    std::int64_t settle_s,
    std::int64_t now_s,
    int limit = 100,
    std::optional<ProjectId> project = std::nullopt);

std::optional<Trigger> find_trigger(Database& db, TriggerId id);
std::optional<Trigger> find_trigger(Database& db, ProjectId project, std::string_view cause_key);

/// Ends a waiting trigger: it came to a nightly (new or known), or there was nothing new (nullopt,
/// and the message says so). Event "trigger.done". @return false when it had ended before
bool finish_trigger(
    Database& db,
    TriggerId id,
    std::optional<NightlyId> nightly,
    const std::string& message,
    std::int64_t now_s);

/// Ends a waiting trigger whose source failed. Event "trigger.failed"; the next trigger tries
/// again. @return false when it had ended before
bool fail_trigger(Database& db, TriggerId id, const std::string& message, std::int64_t now_s);

}  // namespace vigil::service
