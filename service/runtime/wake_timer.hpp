#pragma once

#include <chrono>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace vigil::service {

/// The pause between two rounds of a loop, which others may end. A wake that comes while the loop
/// is at work ends its next pause at once, so none is lost. io thread only; one waits at a time.
class WakeTimer {
  public:
    explicit WakeTimer(boost::asio::io_context& io) : timer_(io) {}

    void wake() {
        woken_ = true;
        timer_.cancel();
    }

    /// Returns at the next wake, or after `longest`.
    boost::asio::awaitable<void> wait(std::chrono::milliseconds longest) {
        boost::system::error_code ignored;  // cancelled: woken
        if (!woken_) {
            timer_.expires_after(longest);
            co_await timer_.async_wait(
                boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
        }
        woken_ = false;
    }

  private:
    boost::asio::steady_timer timer_;
    bool woken_ = false;
};

}  // namespace vigil::service
