#pragma once

#include <functional>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include "service/config/live_config.hpp"
#include "service/runtime/clock.hpp"
#include "service/runtime/lane.hpp"
#include "service/store/writer_lane.hpp"

namespace vigil::service {

/// SIGHUP: reads the config again and puts it in force while everything goes on. One that is wrong
/// is refused as a whole, and the one before stays. What changed is logged, key by key. io thread
/// only.
class Reload {
  public:
    /// @param file  the config's; empty: there is nothing to read again
    Reload(
        boost::asio::io_context& io,
        std::string file,
        LiveConfig& config,
        const Clock& clock,
        WriterLane& writer);

    /// Runs until stop().
    boost::asio::awaitable<void> run();
    void stop();

    /// Called when another config is in force.
    std::function<void()> on_changed = [] {};

  private:
    boost::asio::awaitable<void> reload();
    boost::asio::awaitable<void> refuse(std::string why);
    boost::asio::awaitable<void> put_in_force(Config config);

    LiveConfig& config_;
    const Clock& clock_;
    WriterLane& writer_;
    Lane<std::string> file_;  // reading may block
    boost::asio::signal_set signals_;
    bool stopping_ = false;
};

}  // namespace vigil::service
