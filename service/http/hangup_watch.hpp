#pragma once

#include <memory>

#include <boost/asio/ip/tcp.hpp>

#include "service/http/work_signal.hpp"

namespace vigil::service {

/// Watches the socket of a long poll: when the client leaves, the wait ends.
class HangupWatch {
  public:
    explicit HangupWatch(boost::asio::ip::tcp::socket& socket)
        : shared_(std::make_shared<Shared>()) {
        shared_->socket = &socket;
        socket.async_wait(
            boost::asio::ip::tcp::socket::wait_read,
            [shared = shared_](const boost::system::error_code& error) {
                if (error || shared->socket == nullptr) return;
                boost::system::error_code unknown;
                // Readable with nothing to read is the end of the stream. A pipelined request is
                // readable too; then the watch is over, and the wait ends by itself.
                if (shared->socket->available(unknown) == 0) shared->patience.leave();
            });
    }
    ~HangupWatch() {
        boost::system::error_code ignored;  // a closed socket has nothing to cancel
        shared_->socket->cancel(ignored);
        shared_->socket = nullptr;
    }
    HangupWatch(const HangupWatch&) = delete;
    HangupWatch& operator=(const HangupWatch&) = delete;

    Patience& patience() { return shared_->patience; }

  private:
    struct Shared {
        Patience patience;
        boost::asio::ip::tcp::socket* socket = nullptr;  // null once the watch has ended
    };
    std::shared_ptr<Shared> shared_;
};

}  // namespace vigil::service
