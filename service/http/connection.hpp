#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/tcp_stream.hpp>

#include "service/http/chunks.hpp"
#include "service/http/request_head.hpp"

namespace vigil::service {

/// Bytes of a body that are moved at once; also what a slow client must move per request time-out.
constexpr std::size_t piece_bytes = std::size_t{64} * 1024;

/// Says 503 as far as the socket takes it at once, and closes it. What the client sent and nobody
/// read is read over first, or it would not get to read the answer.
void turn_away(boost::asio::ip::tcp::socket& socket);

/// One client's connection: bytes in, bytes out, each step with a deadline. A step that misses it
/// closes the socket and throws boost::system::system_error, as every network error does. Used by
/// one coroutine at a time, on the io thread.
class Connection {
  public:
    /// @param step_timeout  for a whole head, and for each piece of a body
    /// @param idle_timeout  between requests
    Connection(
        boost::asio::ip::tcp::socket socket,
        std::chrono::seconds step_timeout,
        std::chrono::seconds idle_timeout);

    /// Waits for the first byte of a request. @return false when the client closed instead
    boost::asio::awaitable<bool> wait_for_request();

    /// Reads a head, from its first byte to its empty line.
    /// @return  empty when it is larger than max_head_bytes
    boost::asio::awaitable<std::string> read_head();

    /// Starts the time-out of the steps that follow.
    void begin_step() { stream_.expires_after(step_timeout_); }
    /// The same with a shorter time-out.
    void begin_step(std::chrono::seconds at_most) {
        stream_.expires_after(std::min(at_most, step_timeout_));
    }

    /// Appends the next bytes that came, at most `limit`, to `out`; the end of the stream throws.
    /// Does not start a step: many may be one.
    boost::asio::awaitable<void> read_some(std::string& out, std::size_t limit);

    /// Gives back bytes that belong to the next request.
    void unread(std::string_view bytes) { buffer_.insert(0, bytes); }

    boost::asio::awaitable<void> write(std::string_view bytes);

    /// After a refusal: sends the end, and reads over what the client still sends for a short
    /// while, so that it gets to read the answer.
    boost::asio::awaitable<void> linger();

    /// Closes now; a step in progress throws.
    void close();

    boost::asio::ip::tcp::socket& socket() { return stream_.socket(); }
    bool has_buffered() const { return !buffer_.empty(); }

  private:
    boost::beast::tcp_stream stream_;
    std::chrono::seconds step_timeout_;
    std::chrono::seconds idle_timeout_;
    std::string buffer_;  // what came and was not taken: less than a head and a piece
};

/// Reads one body, whichever way it is framed.
class BodyReader {
  public:
    BodyReader(Connection& connection, const Head& head);

    /// Appends the next piece to `out`: piece_bytes, or less at the end of the body, or as soon as
    /// there is more than `room`. Part of the caller's step. @return false when none was left
    /// @throws Error{invalid_argument} when the chunked coding is broken
    boost::asio::awaitable<bool> next(std::string& out, std::uint64_t room);

    bool done() const { return chunked_ ? decoder_.done() : left_ == 0; }

  private:
    Connection& connection_;
    bool chunked_;
    std::uint64_t left_;  // when not chunked
    ChunkDecoder decoder_;
};

}  // namespace vigil::service
