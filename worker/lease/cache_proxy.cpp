#include "worker/lease/cache_proxy.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <poll.h>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "schema/log/log.hpp"
#include "schema/model/error.hpp"
#include "schema/text/lines.hpp"
#include "worker/child/loopback.hpp"

namespace vigil::worker {

namespace {

constexpr int answerers = 6;
constexpr int look_ms = 100;
constexpr int patience_s = 5;  // for a compiler's bytes
constexpr std::chrono::milliseconds cache_timeout{8000};
constexpr std::int64_t max_stored_bytes = std::int64_t{4} << 30;  // of one build
constexpr std::size_t max_path_bytes = 200;

[[noreturn]] void fail(const std::string& what) {
    throw Error(Errc::unavailable, what + " for the compiler cache: " + std::strerror(errno));
}

/// An entry's path is digits of its digest, folders of them, and a name or two of ccache's own.
bool is_entry(std::string_view path) {
    if (path.size() < 2 || path.size() > max_path_bytes) return false;
    if (path.front() != '/' || path.back() == '/' || path.find("//") != path.npos) return false;
    return std::ranges::all_of(path, [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '/' || c == '-' || c == '_';
    });
}

/// @return -1: there is none, or it is no number
std::int64_t content_length(std::string_view head) {
    std::int64_t length = 0;
    std::string lower(head);
    std::ranges::transform(
        lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    constexpr std::string_view name = "\r\ncontent-length:";
    auto at = lower.find(name);
    if (at == lower.npos) return -1;
    at += name.size();
    while (at < lower.size() && lower[at] == ' ') ++at;
    const auto* begin = lower.data() + at;
    const auto read = std::from_chars(begin, lower.data() + lower.size(), length);
    return read.ec == std::errc() && read.ptr != begin ? length : -1;
}

OwnDescriptor listen_here() {
    OwnDescriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (listener.get() < 0 ||
        ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&here), sizeof here) != 0 ||
        ::listen(listener.get(), loopback_backlog) != 0) {
        fail("opening a port");
    }
    return listener;
}

int port_of(const OwnDescriptor& listener) {
    sockaddr_in here{};
    socklen_t size = sizeof here;
    if (::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&here), &size) != 0) {
        fail("reading a port");
    }
    return ntohs(here.sin_port);
}

bool is_ready(int fd) {
    pollfd file{fd, POLLIN, 0};
    return ::poll(&file, 1, look_ms) > 0 && (file.revents & POLLIN) != 0;
}

void give_patience(int connection) {
    const timeval patience{patience_s, 0};
    ::setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

/// Reads until `text` has so many bytes, or its end is there. @return whether it has
bool read_until(int connection, std::string& text, const auto& is_enough, std::size_t most) {
    std::array<char, 64 * 1024> buffer;
    while (!is_enough(text)) {
        if (text.size() >= most) return false;
        const auto wanted = std::min(buffer.size(), most - text.size());
        const auto got = ::recv(connection, buffer.data(), wanted, 0);
        if (got <= 0) return false;
        text.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return true;
}

void send_all(int connection, std::string_view text) {
    while (!text.empty()) {
        const auto sent = ::send(connection, text.data(), text.size(), MSG_NOSIGNAL);
        if (sent <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(sent));
    }
}

void reply(int connection, int status, std::string_view body, std::size_t length) {
    send_all(
        connection,
        fmt::format(
            "HTTP/1.1 {} -\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", status, length));
    send_all(connection, body);
}

}  // namespace

std::optional<CacheQuestion> parse_question(std::string_view head) {
    const auto line = head.substr(0, head.find("\r\n"));
    const auto first = line.find(' ');
    const auto second = line.rfind(' ');
    if (first == line.npos || second == first) return std::nullopt;
    CacheQuestion question;
    question.method = line.substr(0, first);
    question.path = line.substr(first + 1, second - first - 1);
    const bool puts = question.method == "PUT";
    if (!puts && question.method != "GET" && question.method != "HEAD") return std::nullopt;
    if (!is_entry(question.path)) return std::nullopt;
    if (!puts) return question;
    question.length = content_length(head.substr(0, head.find("\r\n\r\n")));
    if (question.length < 0 || question.length > max_entry_bytes) return std::nullopt;
    return question;
}

CacheProxy::CacheProxy(const BuildCache& cache, MountAccess access, bool sandboxed)
    : client_(cache.url, cache.token), access_(access), port_(loopback_port) {
    if (sandboxed) {
        std::array<int, 2> ends{};
        if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
            fail("making a channel");
        }
        own_end_ = OwnDescriptor(ends[0]);
        child_end_ = OwnDescriptor(ends[1]);
        threads_.emplace_back([this] { receive(); });
    } else {
        listener_ = std::make_shared<OwnDescriptor>(listen_here());
        port_ = port_of(*listener_);
    }
    for (int i = 0; i < answerers; ++i) threads_.emplace_back([this] { serve(); });
}

CacheProxy::~CacheProxy() {
    stop_ = true;
    for (auto& thread : threads_) thread.join();
    if (is_down()) log_warn("ccache.unreachable", {{"host", client_.base().host}});
    if (hits_ + stored_ > 0) {
        log_info("ccache.used", {{"hits", hits_.load()}, {"stored", stored_.load()}});
    }
}

std::string CacheProxy::url() const {
    return fmt::format("http://127.0.0.1:{}", port_);
}

std::shared_ptr<OwnDescriptor> CacheProxy::listener() {
    const std::lock_guard lock(mutex_);
    return listener_;
}

// Each command of a build has a sandbox of its own, whose vigil-child sends a port of its own.
void CacheProxy::receive() {
    while (!stop_) {
        if (!is_ready(own_end_.get())) continue;
        char byte = 0;
        iovec part{&byte, 1};
        alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = control.data();
        message.msg_controllen = control.size();
        if (::recvmsg(own_end_.get(), &message, MSG_CMSG_CLOEXEC) <= 0) return;
        const auto* header = CMSG_FIRSTHDR(&message);
        if (header == nullptr || header->cmsg_type != SCM_RIGHTS) continue;
        int got = -1;
        std::memcpy(&got, CMSG_DATA(header), sizeof got);
        const std::lock_guard lock(mutex_);
        listener_ = std::make_shared<OwnDescriptor>(got);
    }
}

void CacheProxy::serve() {
    while (!stop_) {
        const auto here = listener();
        if (!here) {
            ::poll(nullptr, 0, look_ms);
            continue;
        }
        if (!is_ready(here->get())) continue;
        const OwnDescriptor connection(::accept4(here->get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (connection.get() < 0) continue;  // another one took it
        give_patience(connection.get());
        answer(connection.get());
    }
}

void CacheProxy::answer(int connection) {
    constexpr std::string_view end = "\r\n\r\n";
    std::string text;
    const auto has_head = [&](const std::string& read) { return read.find(end) != read.npos; };
    if (!read_until(connection, text, has_head, max_question_bytes)) return;
    const auto at = text.find(end) + end.size();
    const auto question = parse_question(text.substr(0, at));
    if (!question) return reply(connection, 400, "", 0);
    const bool puts = question->method == "PUT";
    if (puts && access_ == MountAccess::read_only) return reply(connection, 403, "", 0);
    auto body = text.substr(at);
    const auto length = static_cast<std::size_t>(question->length);
    const auto has_body = [&](const std::string& read) { return read.size() >= length; };
    if (body.size() > length || !read_until(connection, body, has_body, length)) return;
    if (puts && stored_bytes_.fetch_add(question->length) > max_stored_bytes) {
        return reply(connection, 507, "", 0);
    }
    const auto response = ask(*question, body);
    const bool fetched = question->method == "GET" && response.status == 200;
    const auto told = question->method == "HEAD" ? std::size_t{0} : response.body.size();
    reply(connection, response.status, fetched ? response.body : "", fetched ? told : 0);
}

// Nothing but an entry and whether it was taken goes back.
http::Response CacheProxy::ask(const CacheQuestion& question, const std::string& body) {
    http::Response nothing;
    nothing.status = 404;
    if (is_down() || stop_) return nothing;
    http::CallOptions options;
    options.timeout = cache_timeout;
    options.max_response_bytes = max_entry_bytes;
    options.stop = &stop_;
    const http::Headers headers{{"content-type", "application/octet-stream"}};
    auto exchange = client_.try_send(question.method, question.path, body, headers, options);
    const bool answered = exchange.progress == http::SendProgress::answered;
    const int status = answered ? exchange.response.status : 0;
    const bool fine = status == 404 || (status >= 200 && status < 300);
    if (!fine) {
        if (!stop_ && ++failures_ == 1) {
            const auto why = answered ? fmt::format("it answers {}", status) : exchange.message;
            log_warn("ccache.failed", {{"why", text::one_line(why)}});
        }
        return nothing;
    }
    failures_ = 0;
    if (status == 200 && question.method == "GET") {
        ++hits_;
        exchange.response.headers = {};
        return std::move(exchange.response);
    }
    if (status != 404 && question.method == "PUT") ++stored_;
    nothing.status = status == 404 ? 404 : 200;
    return nothing;
}

}  // namespace vigil::worker
