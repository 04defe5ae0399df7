#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schema/http/message.hpp"
#include "service/api/common/context.hpp"

// The ledger's events as server-sent events; what one listener asks for, and what it is sent.

namespace vigil::service {

/// An event as it is sent: its number, what filters ask, and the bytes.
struct LiveEvent {
    std::int64_t id = 0;
    std::string project;  ///< empty: of none
    std::string kind;
    std::string subject;
    std::string frame;  ///< "id: 12\ndata: {...}\n\n", the data as the list of events has it
};

/// What a listener wants to hear.
struct EventWish {
    std::optional<std::string> project;
    std::optional<std::string> kind;
    std::optional<std::string> subject;
    std::int64_t after = 0;  ///< the number of the last event that it has

    bool wants(const LiveEvent& event) const;
};

/// Reads the filters, and where to go on: `Last-Event-ID`, else `after`, else behind the newest
/// event there is. A number that was never given (of another ledger) counts as the newest.
/// @throws Error{invalid_argument} as the list of events does
EventWish read_event_wish(const http::Request& request, Database& db, const HandlerContext&);

/// At most `limit` of those behind `after`, oldest first.
std::vector<LiveEvent> load_live_events(Database& db, std::int64_t after, int limit);

}  // namespace vigil::service
