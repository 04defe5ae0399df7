#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

namespace vigil::service {

/// One caller's wait: ends early when its client leaves. Used on the io thread only.
class Patience {
  public:
    /// The client hung up: the wait in progress ends, and later ones do not begin.
    void leave();
    bool gone() const { return gone_; }

  private:
    friend class WorkSignal;
    bool gone_ = false;
    boost::asio::steady_timer* timer_ = nullptr;  // of the wait in progress
};

/// Wakes the long polls when there may be work. No wake-up is lost: a caller notes the generation,
/// looks for work, and waits only while no notice came since. Used on the io thread only.
class WorkSignal {
  public:
    explicit WorkSignal(boost::asio::io_context& io) : io_(io) {}
    WorkSignal(const WorkSignal&) = delete;
    WorkSignal& operator=(const WorkSignal&) = delete;

    /// There may be work, or the service drains.
    void notify();
    std::uint64_t generation() const { return generation_; }

    /// Returns at a notice after `seen`, when the client leaves, or at `until`.
    boost::asio::awaitable<void> wait(
        Patience& patience, std::uint64_t seen, std::chrono::steady_clock::time_point until);

  private:
    boost::asio::io_context& io_;
    std::list<boost::asio::steady_timer*> waiting_;
    std::uint64_t generation_ = 0;
};

}  // namespace vigil::service
