#pragma once

#include <map>
#include <string>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "service/config/live_config.hpp"
#include "service/report/deliver/callbacks.hpp"
#include "service/runtime/clock.hpp"
#include "service/runtime/lane.hpp"
#include "service/runtime/wake_timer.hpp"
#include "service/store/writer_lane.hpp"

namespace vigil::service {

/// Asks for runs elsewhere: leases what waits for machines there, sends what is due (a row says so
/// before), records what came of it. Each receiver has a lane of its own: who does not answer
/// delays neither a night nor a report, nor what is asked of others. io thread only.
class CallbackLoop {
  public:
    CallbackLoop(
        boost::asio::io_context& io,
        const LiveConfig& config,
        const Clock& clock,
        WriterLane& writer);

    /// Runs until stop().
    boost::asio::awaitable<void> run();
    void wake() { pause_.wake(); }
    void stop();

  private:
    struct Nothing {};  // what a lane owns: one at a time

    boost::asio::awaitable<void> ask_due();
    boost::asio::awaitable<void> ask(DueCallback due);

    boost::asio::io_context& io_;
    const LiveConfig& config_;
    const Clock& clock_;
    WriterLane& writer_;
    std::map<std::string, Lane<Nothing>> calls_;  // by receiver; as many as the config has
    WakeTimer pause_;
    bool stopping_ = false;
};

}  // namespace vigil::service
