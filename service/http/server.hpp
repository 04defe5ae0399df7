#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include "service/api/common/context.hpp"

namespace vigil::service {

/// The daemon's HTTP service. Owned by app; used on the io thread only. Before the io_context and
/// the lanes go, await `drain`, or let nothing run on the io_context any more.
class HttpServer {
  public:
    /// Binds and listens on config.http.address and port; serves after `start`.
    /// @throws Error{unavailable} when the address cannot be had; names it, and what to do
    HttpServer(boost::asio::io_context& io, ApiContext context);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    /// The port that was bound; of interest when the config says 0.
    std::uint16_t port() const;

    void start();

    /// There may be work for waiting workers: jobs were added, inputs or products arrived, leases
    /// ended. Call it after each tick that changed any of this.
    void notify_work();

    /// A worker's token was revoked, or replaced by another of its name.
    void forget_token(const std::string& name);

    /// Stops accepting, ends long polls with 204, lets requests in progress finish, and closes what
    /// is left at the deadline. Call it once. @return when no connection is left
    boost::asio::awaitable<void> drain(std::chrono::milliseconds deadline);

  private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace vigil::service
