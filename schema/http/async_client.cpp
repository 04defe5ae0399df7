#include "schema/http/async_client.hpp"

#include <array>
#include <fstream>
#include <utility>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

namespace vigil::http {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace bhttp = boost::beast::http;
using boost::system::error_code;

constexpr std::size_t piece_bytes = 64 * 1024;

std::string describe(const Call& call) {
    return "calling " + call.method + " " + (call.base.secure ? "https://" : "http://") +
           call.base.authority() + call.base.prefix + call.path.substr(0, call.path.find('?'));
}

/// Where the body of the answer goes; a file that was begun is removed unless it is complete.
class BodySink {
  public:
    BodySink(Response& response, const Call& call) : response_(response) {
        if (!call.download || !response.ok()) return;
        path_ = *call.download;
        file_.open(*path_, std::ios::binary | std::ios::trunc);
        if (!file_) fail("cannot be opened");
    }
    ~BodySink() {
        if (!path_ || complete_) return;
        file_.close();
        std::error_code ignored;
        std::filesystem::remove(*path_, ignored);
    }
    BodySink(const BodySink&) = delete;
    BodySink& operator=(const BodySink&) = delete;

    void append(const char* data, std::size_t size) {
        if (!path_) {
            response_.body.append(data, size);
            return;
        }
        if (!file_.write(data, static_cast<std::streamsize>(size))) fail("cannot be written");
    }

    void finish() {
        if (!path_) return;
        file_.close();
        if (!file_) fail("cannot be written");
        complete_ = true;
    }

  private:
    [[noreturn]] void fail(const char* reason) {
        throw Error(
            Errc::unavailable,
            "downloading into " + path_->string() + ": the file " + reason +
                "; see that its folder is there and the disk has room");
    }

    Response& response_;
    std::optional<std::filesystem::path> path_;
    std::ofstream file_;
    bool complete_ = false;
};

template <class Body>
bhttp::request<Body> make_request(const Call& call) {
    bhttp::request<Body> request;
    request.method_string(call.method);
    request.target(call.base.prefix + call.path);
    request.version(11);
    request.set(bhttp::field::host, call.base.authority());
    request.set(bhttp::field::user_agent, "vigil/0.1");
    request.set(bhttp::field::connection, "close");
    for (const auto& [name, value] : call.headers) request.set(name, value);
    return request;
}

/// Sends the request. An error of the write is returned, for the service may have answered early.
template <class Stream>
asio::awaitable<error_code> write_request(Stream& stream, const Call& call) {
    error_code error;
    if (call.upload) {
        auto request = make_request<bhttp::file_body>(call);
        request.body().open(call.upload->c_str(), beast::file_mode::scan, error);
        if (error) {
            throw Error(
                Errc::not_found,
                describe(call) + ": " + call.upload->string() +
                    " cannot be read: " + error.message());
        }
        request.content_length(request.body().size());
        co_await bhttp::async_write(
            stream, request, asio::redirect_error(asio::use_awaitable, error));
        co_return error;
    }
    auto request = make_request<bhttp::string_body>(call);
    request.body() = call.body;
    if (!call.body.empty() && request.find(bhttp::field::content_type) == request.end()) {
        request.set(bhttp::field::content_type, "application/json");
    }
    const bool bodiless = call.method == "GET" || call.method == "HEAD";
    if (!bodiless || !call.body.empty()) request.content_length(call.body.size());
    co_await bhttp::async_write(stream, request, asio::redirect_error(asio::use_awaitable, error));
    co_return error;
}

void copy_head(const bhttp::response_header<>& head, Response& response) {
    response.status = static_cast<int>(head.result_int());
    for (const auto& field : head) {
        std::string name(field.name_string());
        for (auto& c : name) {
            if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        }
        auto& value = response.headers[name];
        value += (value.empty() ? "" : ", ") + std::string(field.value());
    }
}

template <class Stream>
asio::awaitable<void> read_response(Stream& stream, const Call& call, Response& response) {
    beast::flat_buffer buffer;
    bhttp::response_parser<bhttp::buffer_body> parser;
    parser.header_limit(max_response_header_bytes);
    parser.body_limit(static_cast<std::uint64_t>(call.options.max_response_bytes));
    if (call.method == "HEAD") parser.skip(true);
    co_await bhttp::async_read_header(stream, buffer, parser, asio::use_awaitable);
    copy_head(parser.get(), response);
    BodySink sink(response, call);
    std::vector<char> piece(piece_bytes);
    while (!parser.is_done()) {
        auto& body = parser.get().body();
        body.data = piece.data();
        body.size = piece.size();
        error_code error;
        co_await bhttp::async_read(
            stream, buffer, parser, asio::redirect_error(asio::use_awaitable, error));
        if (error && error != bhttp::error::need_buffer) throw boost::system::system_error(error);
        sink.append(piece.data(), piece.size() - body.size);
    }
    sink.finish();
}

template <class Stream>
asio::awaitable<void> converse(Stream& stream, const Call& call, Exchange& exchange) {
    exchange.delivery = Delivery::maybe_sent;
    const error_code unsent = co_await write_request(stream, call);
    if (unsent == beast::error::timeout) throw boost::system::system_error(unsent);
    try {
        co_await read_response(stream, call, exchange.response);
    } catch (const boost::system::system_error&) {
        exchange.response = Response{};
        if (unsent) throw boost::system::system_error(unsent);
        throw;
    }
    exchange.delivery = Delivery::answered;
}

asio::awaitable<void> converse_secure(
    beast::tcp_stream connected, const Call& call, Exchange& exchange) {
    asio::ssl::context context(asio::ssl::context::tls_client);
    context.set_default_verify_paths();
    context.set_verify_mode(asio::ssl::verify_peer);
    beast::ssl_stream<beast::tcp_stream> stream(std::move(connected), context);
    stream.set_verify_callback(asio::ssl::host_name_verification(call.base.host));
    if (SSL_set_tlsext_host_name(stream.native_handle(), call.base.host.c_str()) != 1) {
        throw Error(Errc::unavailable, describe(call) + ": the host name is not fit for TLS");
    }
    co_await stream.async_handshake(asio::ssl::stream_base::client, asio::use_awaitable);
    co_await converse(stream, call, exchange);
}

asio::awaitable<void> connect_and_converse(const Call& call, Exchange& exchange) {
    const auto deadline = std::chrono::steady_clock::now() + call.options.timeout;
    const auto executor = co_await asio::this_coro::executor;
    asio::ip::tcp::resolver resolver(executor);
    const auto port = std::to_string(call.base.port);
    const auto endpoints =
        co_await resolver.async_resolve(call.base.host, port, asio::use_awaitable);
    beast::tcp_stream stream(executor);
    stream.expires_at(deadline);
    co_await stream.async_connect(endpoints, asio::use_awaitable);
    stream.socket().set_option(asio::ip::tcp::no_delay(true));
    if (call.base.secure) {
        co_await converse_secure(std::move(stream), call, exchange);
    } else {
        co_await converse(stream, call, exchange);
    }
}

}  // namespace

asio::awaitable<Exchange> async_send(const Call& call) {
    Exchange exchange;
    try {
        co_await connect_and_converse(call, exchange);
    } catch (const boost::system::system_error& error) {
        const bool late = error.code() == beast::error::timeout;
        const bool large = error.code() == bhttp::error::body_limit;
        exchange.message = describe(call) + ": " +
                           (late    ? "no complete answer in time"
                            : large ? "the answer is larger than the limit"
                                    : error.code().message());
    } catch (const Error& error) {
        if (error.code() == Errc::not_found) throw;
        exchange.message = error.what();
    }
    if (!exchange.message.empty() && exchange.delivery == Delivery::answered) {
        exchange.delivery = Delivery::maybe_sent;
    }
    co_return exchange;
}

}  // namespace vigil::http
