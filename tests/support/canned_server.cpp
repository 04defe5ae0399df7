#include "tests/support/canned_server.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <stdexcept>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>

#include "tests/support/tls_side.hpp"

namespace vigil::test {

namespace {

/// The request on a connection; empty method: the peer went away.
CannedRequest read_request(const TlsSide& side) {
    std::string text;
    std::size_t head_end = text.npos;
    std::size_t length = 0;
    CannedRequest request;
    char buffer[16 * 1024];
    while (head_end == text.npos || text.size() < head_end + 4 + length) {
        const auto count = side.read(buffer, sizeof buffer);
        if (count == 0) return {};
        text.append(buffer, count);
        if (head_end != text.npos) continue;
        head_end = text.find("\r\n\r\n");
        if (head_end == text.npos) continue;
        const std::size_t line_end = text.find("\r\n");
        const std::string line = text.substr(0, line_end);
        const std::size_t space = line.find(' ');
        request.method = line.substr(0, space);
        request.target = line.substr(space + 1, line.rfind(' ') - space - 1);
        for (std::size_t at = line_end + 2; at < head_end;) {
            const std::size_t end = text.find("\r\n", at);
            const std::size_t colon = text.find(':', at);
            std::string name = text.substr(at, colon - at);
            std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
                return static_cast<char>(std::tolower(c));
            });
            const std::size_t value = text.find_first_not_of(' ', colon + 1);
            request.headers[name] = text.substr(value, end - value);
            at = end + 2;
        }
        if (request.headers.contains("content-length")) {
            length = std::stoul(request.headers.at("content-length"));
        }
    }
    request.body = text.substr(head_end + 4, length);
    return request;
}

/// Whether what comes first begins TLS.
bool greets_with_tls(int connection) {
    constexpr char handshake = 22;
    char first = 0;
    return ::recv(connection, &first, 1, MSG_PEEK) == 1 && first == handshake;
}

std::string text_of(const CannedReply& reply) {
    std::string head = "HTTP/1.1 " + std::to_string(reply.status) + " Canned\r\n";
    if (!reply.headers.contains("content-type")) head += "content-type: application/json\r\n";
    for (const auto& [name, value] : reply.headers) head += name + ": " + value + "\r\n";
    if (reply.status != 204 && !reply.headers.contains("content-length")) {
        head += "content-length: " + std::to_string(reply.body.size()) + "\r\n";
    }
    const std::size_t sent = reply.fault == Fault::cut ? reply.cut_after : reply.body.size();
    return head + "connection: close\r\n\r\n" + reply.body.substr(0, sent);
}

/// Adds what was asked, and the answer, to the file that VIGIL_KEEP_REQUESTS names: a line of JSON.
void keep(const CannedRequest& request, const CannedReply& reply) {
    const char* file = std::getenv("VIGIL_KEEP_REQUESTS");
    if (file == nullptr) return;
    const nlohmann::json line = {
        {"method", request.method},
        {"target", request.target},
        {"body", request.body},
        {"status", reply.status},
        {"answer", reply.body},
        {"cut", reply.fault != Fault::none}};
    static std::mutex mutex;  // of several servers
    const std::lock_guard lock(mutex);
    std::ofstream(file, std::ios::app) << line.dump() << "\n";
}

}  // namespace

CannedServer::CannedServer(Handler handler, const Certificate* certificate)
    : handler_(std::move(handler)), certificate_(certificate) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* raw = reinterpret_cast<sockaddr*>(&address);
    if (listener_ < 0 || ::bind(listener_, raw, size) != 0 || ::listen(listener_, 64) != 0 ||
        ::getsockname(listener_, raw, &size) != 0) {
        throw std::runtime_error("the test's server cannot listen");
    }
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
}

CannedServer::~CannedServer() {
    ::shutdown(listener_, SHUT_RDWR);  // wakes the thread out of accept
    thread_.join();
    ::close(listener_);
    for (const int connection : silent_) ::close(connection);
}

void CannedServer::serve() {
    for (;;) {
        const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (connection < 0) return;
        answer(connection);
    }
}

void CannedServer::answer(int connection) {
    if (respond(connection)) {
        silent_.push_back(connection);
    } else {
        ::close(connection);
    }
}

bool CannedServer::respond(int connection) {
    TlsSide side(connection);
    for (;;) {
        const bool tls = certificate_ != nullptr && !side.secure() && greets_with_tls(connection);
        if (tls && !side.begin_tls(*certificate_)) return false;
        const CannedRequest request = read_request(side);
        if (request.method.empty()) return false;
        const CannedReply reply = handler_(request);
        keep(request, reply);
        if (reply.fault == Fault::silence) return true;
        if (reply.fault == Fault::hang_up) return false;
        if (request.method != "CONNECT" || reply.status != 200 || certificate_ == nullptr) {
            side.write(text_of(reply));
            ::shutdown(connection, SHUT_WR);
            return false;
        }
        side.write("HTTP/1.1 200 Canned\r\n\r\n");
    }
}

}  // namespace vigil::test
