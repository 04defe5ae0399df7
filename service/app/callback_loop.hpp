#pragma once

#include <map>
#include <string>
#include <utility>

#include "service/app/loop.hpp"
#include "service/report/deliver/callbacks.hpp"

namespace vigil::service {

/// Asks for runs elsewhere: leases what waits for machines there, sends what is due (a row says so
/// before), records what came of it. Each receiver has a lane of its own: who does not answer
/// delays neither a night nor a report, nor what is asked of others. io thread only.
class CallbackLoop : public Loop {
  public:
    explicit CallbackLoop(const LoopParts& parts) : Loop(parts), io_(parts.io) {}

    /// Runs until stop().
    boost::asio::awaitable<void> run();

  private:
    struct Nothing {};  // what a lane owns: one at a time

    boost::asio::awaitable<void> ask_due();
    boost::asio::awaitable<void> ask(DueCallback due);

    boost::asio::io_context& io_;
    std::map<std::string, Lane<Nothing>> calls_;  // by receiver; as many as the config has
};

}  // namespace vigil::service
