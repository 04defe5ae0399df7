#include "schema/http/client.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>
#include <sys/socket.h>

#include "schema/wire/digest.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace vigil;
using namespace vigil::http;
using boost::asio::ip::tcp;

namespace {

/// Takes one connection, reads until the request's head is there, says its piece, and closes; or,
/// with nothing to say, holds the connection until the end.
class OneAnswer {
  public:
    explicit OneAnswer(std::string answer)
        : acceptor_(io_, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)),
          thread_([this, answer = std::move(answer)] { serve(answer); }) {}
    ~OneAnswer() {
        boost::asio::io_context io;  // a connection that ends at once, if it still waits for one
        tcp::socket last(io);
        boost::system::error_code ignored;
        last.connect(acceptor_.local_endpoint(), ignored);
        last.close(ignored);
        thread_.join();
    }
    OneAnswer(const OneAnswer&) = delete;
    OneAnswer& operator=(const OneAnswer&) = delete;

    std::string url() const {
        return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
    }

  private:
    void serve(const std::string& answer) {
        tcp::socket socket(io_);
        acceptor_.accept(socket);
        std::string request;
        char piece[1024];
        while (request.find("\r\n\r\n") == std::string::npos) {
            const auto count = ::recv(socket.native_handle(), piece, sizeof piece, 0);
            if (count <= 0) return;
            request.append(piece, static_cast<std::size_t>(count));
        }
        if (answer.empty()) {
            while (::recv(socket.native_handle(), piece, sizeof piece, 0) > 0) {
            }
            return;
        }
        boost::system::error_code ignored;  // the client may have given up
        boost::asio::write(socket, boost::asio::buffer(answer), ignored);
    }

    boost::asio::io_context io_;
    tcp::acceptor acceptor_;
    std::thread thread_;
};

std::filesystem::path fresh_file() {
    return std::filesystem::temp_directory_path() / ("vigil-client-" + wire::random_hex(8));
}

}  // namespace

TEST_CASE("An answer comes with its status, headers and body", "[schema][http]") {
    const OneAnswer service(
        "HTTP/1.1 202 Accepted\r\nX-One: a\r\nX-One: b\r\nTransfer-Encoding: chunked\r\n\r\n"
        "4\r\nbody\r\n0\r\n\r\n");
    const auto answer = Client(service.url()).send("GET", "/");
    CHECK(answer.status == 202);
    CHECK(answer.headers.at("x-one") == "a, b");
    CHECK(answer.body == "body");
}

TEST_CASE("A service that does not answer in time may have acted", "[schema][http]") {
    const OneAnswer service("");
    CallOptions options;
    options.timeout = std::chrono::milliseconds(200);
    const auto exchange = Client(service.url()).try_send("POST", "/", "{}", {}, options);
    CHECK(exchange.progress == SendProgress::maybe_sent);
    CHECK(exchange.message.find("in time") != std::string::npos);
}

TEST_CASE("A service that is not there has not acted", "[schema][http]") {
    boost::asio::io_context io;
    tcp::acceptor closed(io, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
    const auto port = closed.local_endpoint().port();
    closed.close();
    const Client client("http://127.0.0.1:" + std::to_string(port));
    CHECK(client.try_send("POST", "/").progress == SendProgress::not_sent);
    CHECK_THROWS_AS(client.send("GET", "/"), Error);
}

TEST_CASE("A call ends soon after it is told to stop", "[schema][http]") {
    const OneAnswer service("");
    const std::atomic<bool> stop = true;
    CallOptions options;
    options.stop = &stop;
    CHECK(
        Client(service.url()).try_send("GET", "/", "", {}, options).progress !=
        SendProgress::answered);
}

TEST_CASE("A download that breaks off, or is too large, leaves no file", "[schema][http]") {
    const auto file = fresh_file();
    {
        const OneAnswer service("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort");
        CHECK_THROWS_AS(Client(service.url()).download("/", file), Error);
        CHECK_FALSE(std::filesystem::exists(file));
    }
    {
        const OneAnswer service(
            "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + std::string(100, 'x'));
        CallOptions options;
        options.max_response_bytes = 10;
        CHECK_THROWS_AS(Client(service.url()).download("/", file, options), Error);
        CHECK_FALSE(std::filesystem::exists(file));
    }
    {
        const OneAnswer service("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno");
        CHECK(Client(service.url()).download("/", file).body == "no");
        CHECK_FALSE(std::filesystem::exists(file));
    }
}

TEST_CASE("A download that is resumed gets its rest, or the whole anew", "[schema][http]") {
    const auto file = fresh_file();
    const auto content = [&] {
        std::ifstream in(file, std::ios::binary);
        return std::string(std::istreambuf_iterator<char>(in), {});
    };
    {
        const OneAnswer service("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n01234");
        CHECK_THROWS_AS(Client(service.url()).resume("/", file, "\"a\""), Error);
        CHECK(content() == "01234");  // what has come stays
    }
    {
        const OneAnswer service(
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 4-9/10\r\n"
            "Content-Length: 6\r\n\r\n456789");
        CHECK_THROWS_AS(Client(service.url()).resume("/", file, "\"a\""), Error);
        CHECK(content() == "01234");  // another part than was asked for
    }
    {
        const OneAnswer service(
            "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 5-9/10\r\n"
            "Content-Length: 5\r\n\r\n56789");
        CHECK(Client(service.url()).resume("/", file, "\"a\"").status == 206);
        CHECK(content() == "0123456789");
    }
    {
        const OneAnswer service("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno");
        CHECK(Client(service.url()).resume("/", file, "\"a\"").body == "no");
        CHECK(content() == "0123456789");
    }
    {
        const OneAnswer service("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nnew");
        CHECK(Client(service.url()).resume("/", file, "\"a\"").status == 200);
        CHECK(content() == "new");
    }
    std::filesystem::remove(file);
}

TEST_CASE("A call goes to a Unix socket where one is named", "[schema][http]") {
    using local = boost::asio::local::stream_protocol;
    const test::ScratchFolder folder;
    const auto path = (folder.path() / "here.socket").string();
    boost::asio::io_context io;
    local::acceptor acceptor(io, local::endpoint(path));
    std::string head;
    std::jthread server([&] {
        local::socket one(io);
        acceptor.accept(one);
        boost::asio::read_until(one, boost::asio::dynamic_buffer(head), "\r\n\r\n");
        const std::string answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
        boost::asio::write(one, boost::asio::buffer(answer));
    });
    const Client client("https://machine.invalid");  // not asked, and no TLS
    CallOptions options;
    options.unix_socket = path;
    CHECK(client.send("GET", "/a", "", {}, options).body == "ok");
    server.join();
    CHECK(head.starts_with("GET /a HTTP/1.1\r\n"));
    acceptor.close();
    std::filesystem::remove(path);
    const auto gone = client.try_send("GET", "/a", "", {}, options);
    CHECK(gone.progress == SendProgress::not_sent);
    CHECK(gone.message.find("unix:" + path + ":/a") != std::string::npos);
    options.unix_socket = "/" + std::string(200, 'a');
    CHECK(client.try_send("GET", "/a", "", {}, options).progress == SendProgress::not_sent);
}
