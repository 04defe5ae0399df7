#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "service/app/loop.hpp"
#include "service/report/send/deliverer.hpp"

namespace vigil::service {

/// Empties the outbox: takes what is due (a row says so before anything is sent), hands it to the
/// lane of its receiver, records what came of it. Answers commands in issues' threads, and keeps
/// notices up to date, the same way. Each receiver has a lane of its own, so that one that fails or
/// hangs delays no other, and no night. io thread only.
class DeliveryLoop : public Loop {
  public:
    using MakeDeliverer = std::function<Deliverer(const Config&)>;

    /// @param make  the deliverer of one lane
    DeliveryLoop(const LoopParts& parts, MakeDeliverer make)
        : Loop(parts), io_(parts.io), make_(std::move(make)) {}

    /// Runs until stop().
    boost::asio::awaitable<void> run();

  private:
    struct Courier {
        Courier(Deliverer deliverer, const Config& config);
        Lane<Deliverer> lane;
        const Config* config;  ///< whose targets it knows
    };
    Courier& courier_of(const std::string& receiver);

    boost::asio::awaitable<void> take_due_now();
    template <class Due>
    void send_all(std::vector<Due> all);
    template <class Due>
    boost::asio::awaitable<void> carry(Due due);

    boost::asio::io_context& io_;
    MakeDeliverer make_;
    std::map<std::string, Courier> couriers_;  // by receiver; as many as the config has
};

}  // namespace vigil::service
