#pragma once

#include <functional>
#include <set>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "service/app/event_log.hpp"
#include "service/app/repositories.hpp"
#include "service/config/live_config.hpp"
#include "service/runtime/clock.hpp"
#include "service/runtime/lane.hpp"
#include "service/store/writer_lane.hpp"

namespace vigil::service {

/// The two loops that make a night go on. `tick` moves rows: schedules, leases, nights, reports.
/// `supply` does what rows ask for outside the ledger: nightlies from their sources, trees and
/// suspects from git. Both sleep until something wakes them, at most a second. io thread only.
class NightLoops {
  public:
    NightLoops(
        boost::asio::io_context& io,
        const LiveConfig& config,
        const Clock& clock,
        WriterLane& writer,
        Lane<Repositories>& repositories);

    /// Runs until stop().
    boost::asio::awaitable<void> tick();
    boost::asio::awaitable<void> supply();

    /// Something changed that may move a night: both loops look at once.
    void wake();
    void stop();

    /// Called when new jobs may have become claimable.
    std::function<void()> on_moved = [] {};

  private:
    boost::asio::awaitable<void> tick_once();
    boost::asio::awaitable<bool> advance_night(NightlyId nightly, std::int64_t now_s);
    boost::asio::awaitable<bool> move_night(NightlyId nightly, std::int64_t now_s);
    boost::asio::awaitable<bool> supply_triggers();
    boost::asio::awaitable<bool> supply_trees();
    boost::asio::awaitable<bool> supply_suspects();
    boost::asio::awaitable<bool> supply_logs();
    boost::asio::awaitable<void> wait(boost::asio::steady_timer& timer);

    const LiveConfig& config_;
    const Clock& clock_;
    WriterLane& writer_;
    Lane<Repositories>& repositories_;
    boost::asio::steady_timer tick_timer_;
    boost::asio::steady_timer supply_timer_;
    std::set<NightlyId> working_;  ///< open nights whose step has worked since the start
    std::set<NightlyId> waiting_;  ///< for the machine, which was told
    EventLog events_;
    std::int64_t next_look_s_ = 0;
    bool stopping_ = false;
};

}  // namespace vigil::service
