#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/wire/traceparent.hpp"
#include "service/store/work/triggers.hpp"

// How wishes for a nightly are made and end.

namespace vigil::service {

/// Asks for a nightly once: the same project and cause key again is the same trigger, whatever came
/// of it. A new one is an event "trigger.requested".
/// @param cause_key    1..200 characters
/// @param traceparent  of the trace that the night's work belongs to
/// @throws Error{conflict} when the key was used for another wish
TriggerId request_nightly(
    Database& db,
    ProjectId project,
    TriggerCause cause,
    std::string_view cause_key,
    const std::optional<std::string>& wanted,
    std::int64_t now_s,
    const std::string& traceparent = wire::new_traceparent());

/// The waiting triggers that may be looked at now, oldest first; of one project, or of all.
/// Deliveries of one project settle: from `settle_s` after the oldest of them on, the newest is due
/// and the others are joined to it, which ends them ("trigger.joined").
std::vector<Trigger> take_due_triggers(
    Database& db,
    std::int64_t settle_s,
    std::int64_t now_s,
    int limit = 100,
    std::optional<ProjectId> project = std::nullopt);

}  // namespace vigil::service
