#include "schema/http/tunnel.hpp"

#include <array>

#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"

namespace vigil::http {

namespace asio = boost::asio;

asio::awaitable<void> open_tunnel(
    boost::beast::tcp_stream& stream, std::string machine, std::uint16_t port) {
    static constexpr std::size_t max_answer_bytes = 8192;
    const auto authority = machine + ":" + std::to_string(port);
    const std::string question =
        "CONNECT " + authority + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n";
    const auto bytes = asio::buffer(question);
    co_await asio::async_write(stream, bytes, asio::use_awaitable);
    // Byte by byte: what follows the header is the machine's.
    std::string answer;
    std::array<char, 1> one{};
    while (!answer.ends_with("\r\n\r\n")) {
        const auto room = asio::buffer(one);
        co_await stream.async_read_some(room, asio::use_awaitable);
        answer += one[0];
        if (answer.size() > max_answer_bytes) break;
    }
    const auto status = answer.substr(0, answer.find("\r\n"));
    if (status.starts_with("HTTP/1.") && status.substr(8, 2) == " 2") co_return;
    throw Error(
        Errc::unavailable,
        "the proxy gives no way to " + authority + ": it answered " + text::one_line(status, 100));
}

}  // namespace vigil::http
