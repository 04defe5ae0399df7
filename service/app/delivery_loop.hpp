#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "service/config/live_config.hpp"
#include "service/report/send/deliverer.hpp"
#include "service/runtime/clock.hpp"
#include "service/runtime/lane.hpp"
#include "service/runtime/wake_timer.hpp"
#include "service/store/writer_lane.hpp"

namespace vigil::service {

/// Empties the outbox: takes what is due (a row says so before anything is sent), hands it to the
/// lane of its receiver, records what came of it. Answers commands in issues' threads, and keeps
/// notices up to date, the same way. Each receiver has a lane of its own, so that one that fails or
/// hangs delays no other, and no night. io thread only.
class DeliveryLoop {
  public:
    using MakeDeliverer = std::function<Deliverer(const Config&)>;

    /// @param make  the deliverer of one lane
    DeliveryLoop(
        boost::asio::io_context& io,
        const LiveConfig& config,
        const Clock& clock,
        WriterLane& writer,
        MakeDeliverer make);

    /// Runs until stop(). What is on its way then is waited for by nobody.
    boost::asio::awaitable<void> run();
    void wake() { pause_.wake(); }
    void stop();

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
    const LiveConfig& config_;
    const Clock& clock_;
    WriterLane& writer_;
    MakeDeliverer make_;
    std::map<std::string, Courier> couriers_;  // by receiver; as many as the config has
    WakeTimer pause_;
    bool stopping_ = false;
};

}  // namespace vigil::service
