#include "service/http/server.hpp"

#include <exception>
#include <string>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <sys/socket.h>

#include "schema/log/log.hpp"
#include "schema/log/service_manager.hpp"
#include "service/http/auth.hpp"
#include "service/http/connection.hpp"
#include "service/http/core.hpp"
#include "service/http/dispatch.hpp"
#include "service/http/session.hpp"
#include "service/store/writer_lane.hpp"

namespace vigil::service {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

/// How long accepting pauses when there are no file descriptors left.
constexpr std::chrono::milliseconds accept_pause{100};

Error bind_error(const HttpConfig& config, const std::string& why) {
    return Error(
        Errc::unavailable,
        "listening on " + config.address + " port " + std::to_string(config.port) +
            " failed: " + why + "; choose another http.address or http.port");
}

tcp::endpoint endpoint_of(const HttpConfig& config) {
    error_code error;
    const std::string text = config.address == "localhost" ? "127.0.0.1" : config.address;
    const auto address = asio::ip::make_address(text, error);
    if (error) throw bind_error(config, "the address is not an IP address");
    return {address, static_cast<std::uint16_t>(config.port)};
}

/// @throws system_error unless it is an internet socket
tcp protocol_of(int socket) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    const int failed = ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
    if (failed == 0 && address.ss_family == AF_INET) return tcp::v4();
    if (failed == 0 && address.ss_family == AF_INET6) return tcp::v6();
    throw boost::system::system_error(asio::error::address_family_not_supported);
}

asio::awaitable<void> serve_connection(
    std::shared_ptr<ServerCore> core, tcp::socket socket, std::string peer) {
    HttpSession session(std::move(core), std::move(socket), std::move(peer));
    co_await session.run();
}

}  // namespace

struct HttpServer::State {
    State(asio::io_context& io, ApiContext context)
        : core(std::make_shared<ServerCore>(io, std::move(context))), acceptor(io) {}

    std::shared_ptr<ServerCore> core;
    tcp::acceptor acceptor;
    std::uint16_t port = 0;

    void listen();
    asio::awaitable<void> accept_all();
    void admit(tcp::socket socket);
};

void HttpServer::State::listen() {
    const auto& config = core->api.config.now().http;
    const auto endpoint = endpoint_of(config);
    try {
        if (const auto socket = inherited_socket()) {
            // The manager listens already, where the socket's unit says, not the config.
            acceptor.assign(protocol_of(*socket), *socket);
        } else {
            acceptor.open(endpoint.protocol());
            acceptor.set_option(tcp::acceptor::reuse_address(true));
            acceptor.bind(endpoint);
            acceptor.listen();
        }
        const auto local = acceptor.local_endpoint();
        port = local.port();
        core->bound_to_loopback = local.address().is_loopback();
    } catch (const boost::system::system_error& error) {
        throw bind_error(config, error.code().message());
    }
}

void HttpServer::State::admit(tcp::socket socket) {
    error_code gone;  // the client left already: its first read tells
    auto peer = peer_of(socket.remote_endpoint(gone).address());
    const auto limit = static_cast<std::size_t>(core->api.config.now().http.max_connections);
    auto& guests = core->guests;
    switch (admission_of(limit, core->known.size(), guests.size(), guests.size_of(peer))) {
        case Admission::admit: break;
        case Admission::replace_own: guests.oldest_of(peer)->evict(); break;
        case Admission::replace: guests.oldest_of_largest()->evict(); break;
        case Admission::turn_away:
            ++core->counters.refused_connections;
            turn_away(socket);
            return;
    }
    asio::co_spawn(
        core->io,
        serve_connection(core, std::move(socket), std::move(peer)),
        [](const std::exception_ptr& failure) { log_failure("http.session_failed", failure); });
}

asio::awaitable<void> HttpServer::State::accept_all() {
    while (acceptor.is_open()) {
        error_code error;
        tcp::socket socket =
            co_await acceptor.async_accept(asio::redirect_error(asio::use_awaitable, error));
        if (!error) {
            admit(std::move(socket));
        } else if (error != asio::error::operation_aborted) {
            log_warn("http.accept_failed", {{"reason", error.message()}});
            if (auto* guest = core->guests.oldest_of_largest()) guest->evict();
            asio::steady_timer pause(core->io, accept_pause);
            co_await pause.async_wait(asio::use_awaitable);
        }
    }
}

HttpServer::HttpServer(asio::io_context& io, ApiContext context)
    : state_(std::make_shared<State>(io, std::move(context))) {
    state_->core->api.writer.on_commit = [core = std::weak_ptr(state_->core)] {
        if (const auto still = core.lock()) still->feed.committed.notify();
    };
    state_->listen();
}

HttpServer::~HttpServer() {
    error_code ignored;  // closed by a drain, or closed now
    state_->acceptor.close(ignored);
}

std::uint16_t HttpServer::port() const {
    return state_->port;
}

void HttpServer::start() {
    asio::co_spawn(
        state_->core->io,
        remember_callers(*state_->core),
        [state = state_](const std::exception_ptr& failure) {
            log_failure("http.tokens_not_read", failure);
        });
    asio::co_spawn(
        state_->core->io,
        state_->accept_all(),
        [state = state_](const std::exception_ptr& failure) {
            log_failure("http.accept_failed", failure);
        });
}

void HttpServer::notify_work() {
    state_->core->workers.notify();
}

void HttpServer::forget_token(const std::string& name) {
    state_->core->tokens.forget(name);
}

asio::awaitable<void> HttpServer::drain(std::chrono::milliseconds deadline) {
    auto& core = *state_->core;
    error_code ignored;  // a second close does no harm
    state_->acceptor.close(ignored);
    core.draining = true;
    core.workers.notify_all();
    core.feed.told.notify();
    core.feed.committed.notify();
    const auto sessions = core.sessions;  // ending one changes the set
    for (auto* session : sessions) session->end_if_idle();
    asio::steady_timer timer(core.io, deadline);
    core.session_ended = [&] {
        if (core.sessions.empty()) timer.cancel();
    };
    error_code cancelled;  // is how the last session's end arrives
    if (!core.sessions.empty()) {
        co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
    }
    if (!core.sessions.empty()) {
        log_warn("http.drain_cut", {{"connections", core.sessions.size()}});
        const auto left = core.sessions;
        for (auto* session : left) session->abort();
        timer.expires_after(std::chrono::seconds(1));
        co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
    }
    core.session_ended = nullptr;
}

}  // namespace vigil::service
