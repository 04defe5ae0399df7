#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// Appends to what happened, in the caller's transaction.
/// @param kind     what happened, "thing.verb": "job.leased", "nightly.none"
/// @param subject  the row it happened to: "job/12"
/// @param message  one line for a person; it and the subject are cut at 4000 bytes
/// @param data_json  an object, as text
EventId record_event(
    Database& db,
    std::int64_t now_s,
    std::string_view kind,
    std::optional<ProjectId> project,
    std::string_view subject,
    std::string_view message,
    const std::string& data_json = "{}");

/// An event as the log tells it.
struct EventLine {
    EventId id;
    std::string kind;
    std::optional<std::string> project;
    std::string subject;
    std::string message;
};
/// Those behind `after`, oldest first, without the first ones of troubles.
std::vector<EventLine> list_events_after(Database& db, EventId after, int limit);
/// 0: there is none.
EventId find_newest_event(Database& db);

}  // namespace vigil::service
