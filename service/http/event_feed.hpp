#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "service/api/live.hpp"
#include "service/http/semaphore.hpp"
#include "service/http/work_signal.hpp"

namespace vigil::service {

class Connection;
struct ServerCore;

/// The newest events, read from the ledger once for all listeners. A listener has no buffer of its
/// own but the piece that is being sent to it: one that lags behind what is kept here reads the
/// ledger again, in pages. io thread only.
class EventFeed {
  public:
    explicit EventFeed(boost::asio::io_context& io)
        : told(io), committed(io), catching_up(io, most_catching_up, most_catching_up) {}
    EventFeed(const EventFeed&) = delete;
    EventFeed& operator=(const EventFeed&) = delete;

    /// One listener's place, left at its end.
    class Seat {
      public:
        explicit Seat(EventFeed& feed) : feed_(&feed) { ++feed.listeners_; }
        Seat(Seat&& other) noexcept : feed_(std::exchange(other.feed_, nullptr)) {}
        Seat& operator=(Seat&&) = delete;
        ~Seat() {
            if (feed_ != nullptr) --feed_->listeners_;
        }

      private:
        EventFeed* feed_;
    };
    int listeners() const { return listeners_; }

    /// Begins to read what is new, for as long as there are listeners; does nothing while it does.
    static void start(const std::shared_ptr<ServerCore>& core);

    /// Appends to `out` what `wish` wants of the events behind wish.after, about `room` bytes, and
    /// moves wish.after on. @return false when those are kept no longer, or not yet
    bool take(EventWish& wish, std::string& out, std::size_t room) const;

    /// The last event before those that are kept.
    std::int64_t begin() const { return begin_; }

    WorkSignal told;       ///< there are new events here
    WorkSignal committed;  ///< there may be new events in the ledger
    FairSemaphore catching_up;

  private:
    static constexpr int most_catching_up = 4;

    static boost::asio::awaitable<void> run(std::shared_ptr<ServerCore> core);
    boost::asio::awaitable<void> read_new(ServerCore& core);
    void keep(std::vector<LiveEvent> events);

    std::deque<LiveEvent> kept_;
    std::size_t kept_bytes_ = 0;
    std::int64_t begin_ = 0;
    std::int64_t end_ = 0;  ///< the last one that was read
    bool is_known_ = false;
    bool running_ = false;
    int listeners_ = 0;
};

/// Sends a listener what it wants, until it leaves, is too slow, or the service drains. The head of
/// the reply is sent already.
/// @throws boost::system::system_error when the connection ends, or does not take a piece in time
boost::asio::awaitable<void> tell_events(
    std::shared_ptr<ServerCore> core, Connection& connection, EventWish wish, Patience& patience);

}  // namespace vigil::service
