#pragma once

#include "service/app/loop.hpp"
#include "service/store/content_store.hpp"

namespace vigil::service {

/// Keeps the content store under its bound, the ballast in place, and kept answers, the audit log
/// and the runs of old nights from piling up; the ledger's file shrinks where much of it is unused.
/// A full disk is a trouble while it lasts, and a line in the log at once. The ledger forgets
/// content before its file goes, so that nothing ever points at a file that is not there. io thread
/// only.
class Housekeeping : public Loop {
  public:
    Housekeeping(const LoopParts& parts, Lane<ContentStore>& content, Ballast& ballast)
        : Loop(parts), content_(content), ballast_(ballast) {}

    /// Runs until stop().
    boost::asio::awaitable<void> run();

  private:
    boost::asio::awaitable<void> make_room();
    boost::asio::awaitable<void> look_at_disk();
    boost::asio::awaitable<void> tidy_ledger();

    Lane<ContentStore>& content_;
    Ballast& ballast_;  // on the writer's thread only: it is given up there when the disk is full
    bool is_full_ = false;  // the disk, as the log says
};

}  // namespace vigil::service
