#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "service/config/live_config.hpp"
#include "service/report/send/deliverer.hpp"
#include "service/runtime/clock.hpp"
#include "service/runtime/lane.hpp"
#include "service/runtime/wake_timer.hpp"
#include "service/store/writer_lane.hpp"

namespace vigil::service {

/// Empties the outbox: takes what is due (a row says so before anything is sent), hands it to the
/// delivery lane, records what came of it. Answers commands in issues' threads, and keeps notices
/// up to date, the same way. A message that fails or hangs delays no night. io thread only.
class DeliveryLoop {
  public:
    DeliveryLoop(
        boost::asio::io_context& io,
        const LiveConfig& config,
        const Clock& clock,
        WriterLane& writer,
        Lane<Deliverer>& deliverer);

    /// Runs until stop().
    boost::asio::awaitable<void> run();
    void wake() { pause_.wake(); }
    void stop();

  private:
    boost::asio::awaitable<bool> deliver_due();
    boost::asio::awaitable<bool> answer_due();
    boost::asio::awaitable<bool> ask_due();
    boost::asio::awaitable<bool> notify_due();
    boost::asio::awaitable<bool> end_twins_due();

    const LiveConfig& config_;
    const Clock& clock_;
    WriterLane& writer_;
    Lane<Deliverer>& deliverer_;
    WakeTimer pause_;
    bool stopping_ = false;
};

}  // namespace vigil::service
