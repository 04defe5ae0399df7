#include "schema/http/async_client.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/buffer_body.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/write.hpp>

#include "schema/http/secure.hpp"
#include "schema/http/tunnel.hpp"
#include "schema/text/characters.hpp"

namespace vigil::http {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace bhttp = boost::beast::http;
using boost::system::error_code;

using Steady = std::chrono::steady_clock;

constexpr std::size_t piece_bytes = 64 * 1024;
constexpr std::chrono::minutes rate_window{1};
constexpr std::chrono::seconds longest_connect{30};

std::string describe(const Call& call) {
    const auto& socket = call.options.unix_socket;
    const auto place = !socket.empty() ? "unix:" + socket + ":"
                                       : (call.base.secure ? "https://" : "http://") +
                                             call.base.authority() + call.base.prefix;
    return "calling " + call.method + " " + place + call.path.substr(0, call.path.find('?'));
}

/// Where the body of the answer goes; a file that was begun is removed unless it is complete.
class BodySink {
  public:
    BodySink(Response& response, const Call& call) : response_(response) {
        if (call.options.take && response.ok()) take_ = &call.options.take;
        if (!call.download || !response.ok()) return;
        path_ = *call.download;
        keep_ = call.resume;
        const bool rest = call.resume && response.status == 206;
        if (rest && !begins_at(file_bytes())) fail("is of another length than the part that came");
        file_.open(*path_, std::ios::binary | (rest ? std::ios::app : std::ios::trunc));
        if (!file_) fail("cannot be opened");
    }
    ~BodySink() {
        if (!path_ || complete_ || keep_) return;
        file_.close();
        std::error_code ignored;
        std::filesystem::remove(*path_, ignored);
    }
    BodySink(const BodySink&) = delete;
    BodySink& operator=(const BodySink&) = delete;

    void append(const char* data, std::size_t size) {
        if (take_ != nullptr) return (*take_)({data, size});
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
    std::uintmax_t file_bytes() const {
        std::error_code missing;
        const auto bytes = std::filesystem::file_size(*path_, missing);
        return missing ? 0 : bytes;
    }

    /// Whether the answer says "Content-Range: bytes <at>-...".
    bool begins_at(std::uintmax_t at) const {
        const auto range = response_.headers.find("content-range");
        return range != response_.headers.end() &&
               range->second.starts_with("bytes " + std::to_string(at) + "-");
    }

    [[noreturn]] void fail(const char* reason) {
        throw Error(
            Errc::unavailable,
            "downloading into " + path_->string() + ": the file " + reason +
                "; see that its folder is there and the disk has room");
    }

    Response& response_;
    const std::function<void(std::string_view)>* take_ = nullptr;
    std::optional<std::filesystem::path> path_;
    std::ofstream file_;
    bool complete_ = false;
    bool keep_ = false;
};

/// A connected stream, plain or TLS. Its two operations are all that is compiled for both kinds.
class Connection {
  public:
    virtual ~Connection() = default;
    /// @return  0 when the other side has closed
    virtual asio::awaitable<std::size_t> read_some(asio::mutable_buffer into) = 0;
    virtual asio::awaitable<error_code> write(asio::const_buffer from) = 0;
    /// When operations from now on time out.
    virtual void expires_at(Steady::time_point at) = 0;
};

template <class Stream>
class StreamConnection final : public Connection {
  public:
    explicit StreamConnection(Stream& stream) : stream_(stream) {}

    asio::awaitable<std::size_t> read_some(asio::mutable_buffer into) override {
        error_code error;
        const std::size_t got = co_await stream_.async_read_some(
            into, asio::redirect_error(asio::use_awaitable, error));
        if (error == asio::error::eof || error == asio::ssl::error::stream_truncated) co_return 0;
        if (error) throw boost::system::system_error(error);
        co_return got;
    }

    asio::awaitable<error_code> write(asio::const_buffer from) override {
        error_code error;
        while (from.size() > 0 && !error) {
            from += co_await stream_.async_write_some(
                from, asio::redirect_error(asio::use_awaitable, error));
        }
        co_return error;
    }

    void expires_at(Steady::time_point at) override {
        beast::get_lowest_layer(stream_).expires_at(at);
    }

  private:
    Stream& stream_;
};

std::string head_of(const Call& call, std::optional<std::uint64_t> content_bytes) {
    bhttp::request<bhttp::empty_body> request;
    request.method_string(call.method);
    request.target(call.base.prefix + call.path);
    request.version(11);
    request.set(bhttp::field::host, call.base.authority());
    request.set(bhttp::field::user_agent, "vigil/0.1");
    request.set(bhttp::field::connection, "close");
    for (const auto& [name, value] : call.headers) request.set(name, value);
    if (!call.upload && !call.body.empty() &&
        request.find(bhttp::field::content_type) == request.end()) {
        request.set(bhttp::field::content_type, "application/json");
    }
    if (content_bytes) request.content_length(*content_bytes);
    std::ostringstream head;
    head << request.base();
    return head.str();
}

/// Sends the request. An error of the write is returned, for the service may have answered early.
asio::awaitable<error_code> write_request(Connection& connection, const Call& call) {
    if (!call.upload) {
        const bool bodiless = call.method == "GET" || call.method == "HEAD";
        const bool sized = !bodiless || !call.body.empty();
        const std::string text =
            head_of(call, sized ? std::optional(call.body.size()) : std::nullopt) + call.body;
        co_return co_await connection.write(asio::buffer(text));
    }
    std::ifstream file(*call.upload, std::ios::binary);
    std::error_code unknown_size;
    const auto bytes = std::filesystem::file_size(*call.upload, unknown_size);
    if (!file || unknown_size) {
        throw Error(
            Errc::not_found, describe(call) + ": " + call.upload->string() + " cannot be read");
    }
    const std::string head = head_of(call, bytes);
    error_code error = co_await connection.write(asio::buffer(head));
    std::vector<char> piece(piece_bytes);
    for (std::uint64_t left = bytes; left > 0 && !error;) {
        const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left, piece.size()));
        if (!file.read(piece.data(), static_cast<std::streamsize>(size))) {
            throw Error(
                Errc::unavailable,
                describe(call) + ": " + call.upload->string() +
                    " became shorter while it was sent");
        }
        error = co_await connection.write(asio::buffer(piece.data(), size));
        left -= size;
    }
    co_return error;
}

void copy_head(const bhttp::response_header<>& head, Response& response) {
    response.status = static_cast<int>(head.result_int());
    for (const auto& field : head) {
        auto& value = response.headers[text::lower_case(std::string(field.name_string()))];
        value += (value.empty() ? "" : ", ") + std::string(field.value());
    }
}

/// The answer's bytes, as they come, through the parser.
class ResponseReader {
  public:
    ResponseReader(Connection& connection, const Call& call)
        : connection_(connection),
          least_bytes_(call.options.least_bytes_a_minute),
          deadline_(Steady::now() + call.options.timeout) {
        parser_.header_limit(max_response_header_bytes);
        parser_.body_limit(static_cast<std::uint64_t>(call.options.max_response_bytes));
        if (call.method == "HEAD") parser_.skip(true);
    }

    asio::awaitable<void> read(const Call& call, Response& response) {
        while (!parser_.is_header_done()) co_await advance();
        copy_head(parser_.get(), response);
        BodySink sink(response, call);
        std::vector<char> piece(piece_bytes);
        while (!parser_.is_done()) {
            auto& body = parser_.get().body();
            body.data = piece.data();
            body.size = piece.size();
            co_await advance();
            sink.append(piece.data(), piece.size() - body.size);
        }
        sink.finish();
    }

  private:
    /// Parses what is there; reads on first when that was not enough the last time.
    asio::awaitable<void> advance() {
        error_code error;
        if (hungry_) {
            if (least_bytes_ > 0) check_rate();
            const asio::mutable_buffer room = buffer_.prepare(piece_bytes);
            const std::size_t got = co_await connection_.read_some(room);
            buffer_.commit(got);
            window_bytes_ += static_cast<std::int64_t>(got);
            if (got == 0 && !parser_.got_some()) throw closed_early();
            if (got == 0) parser_.put_eof(error);
            if (got == 0 && !error) co_return;
        }
        if (!error) buffer_.consume(parser_.put(buffer_.data(), error));
        hungry_ = error == bhttp::error::need_more || buffer_.size() == 0;
        if (error == bhttp::error::need_more || error == bhttp::error::need_buffer) co_return;
        if (error) throw boost::system::system_error(error);
    }

    /// Each minute has to bring enough; one that does not is a time-out, be it silent or slow.
    void check_rate() {
        const auto now = Steady::now();
        if (now > window_end_) {
            if (window_bytes_ < least_bytes_) {
                throw boost::system::system_error(beast::error::timeout);
            }
            window_end_ = now + rate_window;
            window_bytes_ = 0;
        }
        connection_.expires_at(std::min(now + rate_window, deadline_));
    }

    static boost::system::system_error closed_early() {
        return boost::system::system_error(error_code(bhttp::error::end_of_stream));
    }

    Connection& connection_;
    const std::int64_t least_bytes_;
    const Steady::time_point deadline_;
    Steady::time_point window_end_ = Steady::now() + rate_window;
    std::int64_t window_bytes_ = 0;  ///< since the window began
    beast::flat_buffer buffer_;
    bhttp::response_parser<bhttp::buffer_body> parser_;
    bool hungry_ = true;
};

asio::awaitable<void> converse(Connection& connection, const Call& call, Exchange& exchange) {
    exchange.progress = SendProgress::maybe_sent;
    const error_code unsent = co_await write_request(connection, call);
    if (unsent == beast::error::timeout) throw boost::system::system_error(unsent);
    try {
        ResponseReader reader(connection, call);
        co_await reader.read(call, exchange.response);
    } catch (const boost::system::system_error&) {
        exchange.response = Response{};
        if (unsent) throw boost::system::system_error(unsent);
        throw;
    }
    exchange.progress = SendProgress::answered;
}

asio::awaitable<void> converse_secure(
    beast::tcp_stream connected, const Call& call, Exchange& exchange) {
    asio::ssl::context context(asio::ssl::context::tls_client);
    trust_authorities(context.native_handle());
    context.set_verify_mode(asio::ssl::verify_peer);
    SecureStream stream(std::move(connected), context);
    co_await begin_tls(stream, call.base.host);
    StreamConnection connection(stream);
    co_await converse(connection, call, exchange);
}

asio::awaitable<void> converse_here(const Call& call, Exchange& exchange) {
    const auto executor = co_await asio::this_coro::executor;
    beast::basic_stream<asio::local::stream_protocol> stream(executor);
    stream.expires_after(call.options.timeout);
    const asio::local::stream_protocol::endpoint socket(call.options.unix_socket);
    co_await stream.async_connect(socket, asio::use_awaitable);
    StreamConnection connection(stream);
    co_await converse(connection, call, exchange);
}

asio::awaitable<void> connect_and_converse(const Call& call, Exchange& exchange) {
    if (!call.options.unix_socket.empty()) co_return co_await converse_here(call, exchange);
    const auto deadline = Steady::now() + call.options.timeout;
    const auto executor = co_await asio::this_coro::executor;
    asio::ip::tcp::resolver resolver(executor);
    const auto& proxy = call.options.proxy;
    const bool tunnel = call.base.secure && !proxy.empty();
    const auto colon = proxy.rfind(':');
    const auto machine = tunnel ? proxy.substr(0, colon) : call.base.host;
    const auto port = tunnel ? proxy.substr(colon + 1) : std::to_string(call.base.port);
    const auto endpoints = co_await resolver.async_resolve(machine, port, asio::use_awaitable);
    beast::tcp_stream stream(executor);
    stream.expires_at(std::min(deadline, Steady::now() + longest_connect));
    co_await stream.async_connect(endpoints, asio::use_awaitable);
    stream.expires_at(deadline);
    stream.socket().set_option(asio::ip::tcp::no_delay(true));
    if (tunnel) co_await open_tunnel(stream, call.base.host, call.base.port);
    if (call.base.secure) {
        co_await converse_secure(std::move(stream), call, exchange);
    } else {
        StreamConnection connection(stream);
        co_await converse(connection, call, exchange);
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
                           (late    ? "no complete answer in time, or it came too slowly"
                            : large ? "the answer is larger than the limit"
                                    : error.code().message());
    } catch (const Error& error) {
        if (error.code() == Errc::not_found) throw;
        exchange.message = error.what();
    }
    if (!exchange.message.empty() && exchange.progress == SendProgress::answered) {
        exchange.progress = SendProgress::maybe_sent;
    }
    co_return exchange;
}

}  // namespace vigil::http
