#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

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
    std::int64_t writer_waiting = 0;  ///< lengths of the lanes' queues
    std::int64_t reader_waiting = 0;
    std::int64_t content_waiting = 0;
};

}  // namespace vigil::service
