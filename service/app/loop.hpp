#pragma once

#include <atomic>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "service/config/live_config.hpp"
#include "service/runtime/clock.hpp"
#include "service/runtime/lane.hpp"
#include "service/runtime/wake_timer.hpp"
#include "service/store/writer_lane.hpp"

namespace vigil::service {

/// What every loop of the daemon works with; all of it outlives the loop.
struct LoopParts {
    boost::asio::io_context& io;
    const LiveConfig& config;
    const Clock& clock;
    WriterLane& writer;
};

/// A loop of the daemon, which pauses until something wakes it or its time has come. io thread
/// only; what a loop started on a lane may read `stopping_` there.
class Loop {
  public:
    /// Something changed: looks at once.
    void wake() { pause_.wake(); }
    /// Ends what runs on the io thread soon. What a lane does then is waited for by nobody.
    void stop() {
        stopping_ = true;
        pause_.wake();
    }

  protected:
    explicit Loop(const LoopParts& parts)
        : config_(parts.config), clock_(parts.clock), writer_(parts.writer), pause_(parts.io) {}
    ~Loop() = default;

    const LiveConfig& config_;
    const Clock& clock_;
    WriterLane& writer_;
    WakeTimer pause_;
    std::atomic<bool> stopping_ = false;
};

}  // namespace vigil::service
