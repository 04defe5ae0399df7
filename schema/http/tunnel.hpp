#pragma once

#include <cstdint>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/beast/core/tcp_stream.hpp>

namespace vigil::http {

/// Asks the proxy at the other end of a connection for a tunnel (CONNECT); the stream is that of
/// the machine from then on. The stream's own time limit holds.
/// @throws Error{unavailable} when the proxy refuses, or does not speak HTTP
/// @throws boost::system::system_error  what the network does
boost::asio::awaitable<void> open_tunnel(
    boost::beast::tcp_stream& stream, std::string machine, std::uint16_t port);

}  // namespace vigil::http
