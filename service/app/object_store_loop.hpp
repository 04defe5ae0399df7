#pragma once

#include <optional>
#include <string>

#include "service/app/loop.hpp"
#include "service/source/object_store.hpp"
#include "service/store/content_store.hpp"
#include "service/store/object_copies.hpp"

namespace vigil::service {

/// Sends products and archives to the object store of the config, and removes what left the content
/// store. A row comes before each; what a crash interrupts is done again. The content store keeps
/// its own. Without an object store it does nothing. io thread only.
class ObjectStoreLoop : public Loop {
  public:
    ObjectStoreLoop(const LoopParts& parts, ContentStore content);

    /// Runs until stop().
    boost::asio::awaitable<void> run();

    /// What is due now, up to a limit. @return  whether more may be due
    boost::asio::awaitable<bool> move_some();

  private:
    boost::asio::awaitable<bool> copy_some(const ObjectStoreConfig& config);
    template <class Work>
    boost::asio::awaitable<bool> call(const ObjectStoreConfig& config, Work work);

    Lane<ContentStore> lane_;              // of what waits for files and for the object store
    std::string why_;                      // of the newest failure; empty: all went well
    std::optional<std::string> reported_;  // as the ledger has it; nothing: not known yet
    int failures_ = 0;                     // of this round
};

}  // namespace vigil::service
