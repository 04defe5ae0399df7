#include "service/http/connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "schema/model/error.hpp"

namespace vigil::service {

namespace {

namespace asio = boost::asio;
using boost::system::error_code;

constexpr std::size_t read_bytes = 16 * 1024;
constexpr std::size_t idle_read_bytes = 512;  // what every idle connection holds
constexpr std::chrono::seconds linger_timeout{2};
constexpr std::size_t max_linger_bytes = std::size_t{16} << 20;

/// Where the head at the front of `buffer` ends, or npos. Bare LF counts as a line's end here, so
/// that the request reader gets to refuse it rather than the time-out.
std::size_t find_head_end(std::string_view buffer) {
    for (auto at = buffer.find('\n'); at != buffer.npos; at = buffer.find('\n', at + 1)) {
        const auto rest = buffer.substr(at + 1);
        if (rest.starts_with('\n')) return at + 2;
        if (rest.starts_with("\r\n")) return at + 3;
    }
    return std::string_view::npos;
}

}  // namespace

void turn_away(asio::ip::tcp::socket& socket) {
    static constexpr std::string_view answer =
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n"
        "Connection: close\r\n\r\n";
    error_code ignored;  // nobody we could tell
    socket.non_blocking(true, ignored);
    std::string unread(piece_bytes, '\0');
    socket.read_some(asio::buffer(unread), ignored);
    socket.write_some(asio::buffer(answer.data(), answer.size()), ignored);
    socket.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    socket.close(ignored);
}

Connection::Connection(
    asio::ip::tcp::socket socket,
    std::chrono::seconds step_timeout,
    std::chrono::seconds idle_timeout)
    : stream_(std::move(socket)), step_timeout_(step_timeout), idle_timeout_(idle_timeout) {
    error_code ignored;  // a client that is gone already shows at the first read
    stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
}

asio::awaitable<bool> Connection::wait_for_request() {
    if (!buffer_.empty()) co_return true;
    stream_.expires_after(idle_timeout_);
    std::string bytes(idle_read_bytes, '\0');
    error_code error;
    const auto count = co_await stream_.async_read_some(
        asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, error));
    if (error == asio::error::eof) co_return false;
    if (error) throw boost::system::system_error(error);
    buffer_.append(bytes, 0, count);
    co_return true;
}

asio::awaitable<std::string> Connection::read_head() {
    begin_step();  // one for all of it, however slowly it trickles
    for (;;) {
        const auto end = find_head_end(buffer_);
        if (end <= max_head_bytes) {
            std::string head = buffer_.substr(0, end);
            buffer_.erase(0, end);
            co_return head;
        }
        if (buffer_.size() >= max_head_bytes) co_return std::string();
        std::string bytes(read_bytes, '\0');
        const auto count =
            co_await stream_.async_read_some(asio::buffer(bytes), asio::use_awaitable);
        buffer_.append(bytes, 0, count);
    }
}

asio::awaitable<void> Connection::read_some(std::string& out, std::size_t limit) {
    if (!buffer_.empty()) {
        const auto taken = std::min(limit, buffer_.size());
        out.append(buffer_, 0, taken);
        buffer_.erase(0, taken);
        co_return;
    }
    const auto before = out.size();
    out.resize(before + limit);
    const auto count = co_await stream_.async_read_some(
        asio::buffer(out.data() + before, limit), asio::use_awaitable);
    out.resize(before + count);
}

asio::awaitable<void> Connection::write(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto piece = bytes.substr(0, piece_bytes);
        begin_step();
        co_await asio::async_write(
            stream_, asio::buffer(piece.data(), piece.size()), asio::use_awaitable);
        bytes.remove_prefix(piece.size());
    }
}

asio::awaitable<void> Connection::linger() {
    error_code error;
    stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, error);
    stream_.expires_after(linger_timeout);
    std::string bytes(piece_bytes, '\0');
    for (std::size_t total = 0; !error && total < max_linger_bytes;) {
        total += co_await stream_.async_read_some(
            asio::buffer(bytes), asio::redirect_error(asio::use_awaitable, error));
    }
}

void Connection::close() {
    error_code ignored;  // it is gone either way
    stream_.socket().close(ignored);
}

BodyReader::BodyReader(Connection& connection, const Head& head)
    : connection_(connection),
      chunked_(head.chunked),
      left_(head.chunked ? 0 : head.content_length.value_or(0)) {}

asio::awaitable<bool> BodyReader::next(std::string& out, std::uint64_t room) {
    if (done()) co_return false;
    const auto before = out.size();
    const auto full = static_cast<std::size_t>(std::min<std::uint64_t>(room + 1, piece_bytes));
    while (!done() && out.size() - before < full) {
        if (!chunked_) {
            const auto wanted = full - (out.size() - before);
            const auto at = out.size();
            co_await connection_.read_some(
                out, static_cast<std::size_t>(std::min<std::uint64_t>(left_, wanted)));
            left_ -= out.size() - at;
            continue;
        }
        std::string coded;
        co_await connection_.read_some(coded, piece_bytes);
        std::string_view rest = coded;
        if (!decoder_.feed(rest, out)) {
            throw Error(Errc::invalid_argument, "the chunked body is broken: " + decoder_.why());
        }
        connection_.unread(rest);
    }
    co_return true;
}

}  // namespace vigil::service
