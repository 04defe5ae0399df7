#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "service/config/live_config.hpp"
#include "service/runtime/clock.hpp"
#include "service/runtime/lane.hpp"
#include "service/runtime/wake_timer.hpp"
#include "service/store/content_store.hpp"
#include "service/store/writer_lane.hpp"

namespace vigil::service {

/// Keeps the content store under its bound, the ballast in place, and kept answers, the audit log
/// and the runs of old nights from piling up; the ledger's file shrinks where much of it is unused.
/// A full disk is a trouble while it lasts, and a line in the log at once. The ledger forgets
/// content before its file goes, so that nothing ever points at a file that is not there. io thread
/// only.
class Housekeeping {
  public:
    Housekeeping(
        boost::asio::io_context& io,
        const LiveConfig& config,
        const Clock& clock,
        WriterLane& writer,
        Lane<ContentStore>& content,
        Ballast& ballast);

    /// Runs until stop().
    boost::asio::awaitable<void> run();
    void stop();

  private:
    boost::asio::awaitable<void> make_room();
    boost::asio::awaitable<void> look_at_disk();
    boost::asio::awaitable<void> tidy_ledger();

    const LiveConfig& config_;
    const Clock& clock_;
    WriterLane& writer_;
    Lane<ContentStore>& content_;
    Ballast& ballast_;  // on the writer's thread only: it is given up there when the disk is full
    WakeTimer pause_;
    bool stopping_ = false;
    bool is_full_ = false;  // the disk, as the log says
};

}  // namespace vigil::service
