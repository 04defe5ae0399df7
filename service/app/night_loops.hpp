#pragma once

#include <functional>
#include <set>

#include "service/app/event_log.hpp"
#include "service/app/loop.hpp"
#include "service/store/content_store.hpp"

namespace vigil::service {

/// The loops that make a night go on. `tick` moves rows: schedules, leases, nights, reports. `logs`
/// reads the ends of logs that rows ask for; what they ask of a source, ProjectSupply does. Both
/// sleep until something wakes them, at most a second. io thread only.
class NightLoops : public Loop {
  public:
    NightLoops(const LoopParts& parts, Lane<ContentStore>& content)
        : Loop(parts), content_(content), log_pause_(parts.io) {}

    /// Runs until stop().
    boost::asio::awaitable<void> tick();
    boost::asio::awaitable<void> logs();

    /// Something changed that may move a night: both loops look at once.
    void wake();
    void stop();

    /// Called when new jobs may have become claimable.
    std::function<void()> on_moved = [] {};
    /// Called when rows may ask a source for something.
    std::function<void()> on_wishes = [] {};

  private:
    boost::asio::awaitable<void> tick_once();
    bool may_look(const Moment& now);
    boost::asio::awaitable<bool> advance_night(NightlyId nightly, std::int64_t now_s);
    boost::asio::awaitable<bool> move_night(NightlyId nightly, std::int64_t now_s);
    boost::asio::awaitable<void> advance_requested(RequestId request, std::int64_t now_s);
    boost::asio::awaitable<void> renew();
    boost::asio::awaitable<bool> supply_logs();

    Lane<ContentStore>& content_;
    WakeTimer log_pause_;
    std::set<NightlyId> working_;           ///< open nights whose step has worked since the start
    std::set<RequestId> working_requests_;  ///< likewise
    std::set<NightlyId> waiting_;           ///< for the machine, which was told
    EventLog events_;
    std::int64_t next_look_s_ = 0;         ///< steady
    std::optional<std::int64_t> clock_s_;  ///< time of day less steady time, at the last tick
    std::int64_t stored_steady_s_ = 0;
};

}  // namespace vigil::service
