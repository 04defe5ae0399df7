#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "service/api/common/context.hpp"
#include "service/api/health.hpp"
#include "service/api/route.hpp"
#include "service/http/body_memory.hpp"
#include "service/http/connection_limits.hpp"
#include "service/http/event_feed.hpp"
#include "service/http/known_tokens.hpp"
#include "service/http/rates.hpp"
#include "service/http/semaphore.hpp"
#include "service/http/waiting_workers.hpp"

namespace vigil::service {

class HttpSession;

/// Claims that one token may have waiting at once: a worker that reconnects leaves old ones behind.
constexpr int max_waiting_claims_per_token = 4;

/// Deliveries longer than 64 KiB that may be on the disk at once, their signatures unchecked; one
/// peer may have half of them.
constexpr int max_long_deliveries = 16;

/// Results of workers that may be in memory at once, long ones (longer than 64 KiB), imports, long
/// imports, and answers of who measures elsewhere. None waits for another kind. A result keeps its
/// place until the commit, so as many short ones as may be here share one.
constexpr int max_results = 64;
constexpr int max_long_results = 2;
constexpr int max_imports = 2;
constexpr int max_long_imports = 1;
constexpr int max_answers = 1;

/// What the server and its sessions share; it lives as long as the last of them. io thread only.
struct ServerCore {
    ServerCore(boost::asio::io_context& context, ApiContext services)
        : io(context), api(std::move(services)) {}
    ServerCore(const ServerCore&) = delete;
    ServerCore& operator=(const ServerCore&) = delete;

    boost::asio::io_context& io;
    ApiContext api;
    WaitingWorkers workers{io, api.reader};
    HttpCounters counters;
    KnownTokens tokens;
    GuessLimit guesses;
    RequestRates rates;
    std::map<TokenId, int> waiting_claims;
    std::set<HttpSession*> sessions;
    ConnectionsByOwner guests;  ///< by peer: who has shown no token
    ConnectionsByOwner known;   ///< by token
    BodyMemory body_memory;
    FairSemaphore long_deliveries{io, max_long_deliveries, max_long_deliveries / 2};
    // By token: those that are read and written.
    FairSemaphore results{io, max_results, 1};
    FairSemaphore long_results{io, max_long_results, 1};
    FairSemaphore imports{io, max_imports, 1};
    FairSemaphore long_imports{io, max_long_imports, 1};
    FairSemaphore answers{io, max_answers, 1};
    EventFeed feed{io};
    bool bound_to_loopback = false;
    bool draining = false;
    std::function<void()> session_ended;  ///< set while a drain waits
};

}  // namespace vigil::service
