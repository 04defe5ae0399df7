#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "service/store/database.hpp"

namespace vigil::service {

/// What the HTTP edge counts for /metrics. Touched on the io thread only; copied for the reader.
struct HttpCounters {
    /// Requests by route pattern ("none" when no route matched) and status. Bounded: routes and
    /// statuses are ours.
    std::map<std::pair<std::string, int>, std::int64_t> requests;
    std::int64_t connections = 0;  ///< open now
    std::int64_t evicted_connections = 0;
    std::int64_t refused_connections = 0;
    std::int64_t waiting_claims = 0;
    std::int64_t listeners = 0;       ///< of live events
    std::int64_t writer_waiting = 0;  ///< lengths of the lanes' queues
    std::int64_t reader_waiting = 0;
    std::int64_t content_waiting = 0;
    /// That the daemon may still write where the state folder lies; nullopt: not known.
    std::optional<std::int64_t> free_bytes = {};
    /// When the newest backup was made, UTC; 0: there is none; nullopt: no folder is named.
    std::optional<std::int64_t> backup_at_s = {};
};

/// Part of readiness, on the writer: the ledger answers, and its transaction is a writing one.
/// @throws Error{unavailable}
void check_ledger(Database& db);

/// What /readyz answers: "ready", then a line for each kind of open troubles with their number.
/// Whoever asks may read it, so it holds no name and no message.
std::string readiness_text(Database& db);

/// Everything /metrics tells, in Prometheus' text format 0.0.4.
std::string metrics_text(Database& db, const HttpCounters& counters, std::int64_t now_s);

}  // namespace vigil::service
