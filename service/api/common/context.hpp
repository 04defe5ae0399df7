#pragma once

#include <cstdint>
#include <functional>

#include "schema/http/message.hpp"
#include "service/config/live_config.hpp"
#include "service/runtime/clock.hpp"

namespace vigil::service {

class ContentStore;
class Database;
class WriterLane;
template <class Resource>
class Lane;
template <class Resource>
class Lanes;

/// Stands for a thread that reads long bodies: signatures, JSON. It owns nothing.
struct Intake {};

/// What the HTTP service stands on. Everything outlives the server; used on the io thread.
struct ApiContext {
    const LiveConfig& config;
    const Clock& clock;
    WriterLane& writer;
    Lane<Database>& reader;
    Lanes<Database>& long_readers;  ///< for reads over many nights, so that short ones do not wait
    Lane<Intake>& intake;           ///< of webhooks and workers
    Lane<Intake>& imports;          ///< of what was measured elsewhere, which may take its time
    Lane<ContentStore>& content;
    /// Called after a change that may make work (a trigger, a finished job), so that the tick runs
    /// at once. May be empty.
    std::function<void()> wake;
};

/// What a handler may know besides its request and the ledger.
struct HandlerContext {
    const Config& config;
    std::int64_t now_s = 0;
    std::int64_t now_ns = 0;
    std::int64_t steady_s = 0;

    Moment moment() const { return {now_s, steady_s}; }
};

/// A plain function on the ledger; throws Error, which becomes a problem.
using Handler = http::Response (*)(const http::Request&, Database&, const HandlerContext&);

}  // namespace vigil::service
