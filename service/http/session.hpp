#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "schema/http/message.hpp"
#include "service/http/auth.hpp"
#include "service/http/connection.hpp"
#include "service/http/core.hpp"
#include "service/http/request_head.hpp"
#include "service/http/router.hpp"

namespace vigil::service {

/// One connection's requests, one after the other; a pipelined one waits for its turn. io thread
/// only. Lives in its coroutine's frame, known to the core meanwhile.
class HttpSession {
  public:
    /// @param peer  as `peer_of` names it
    HttpSession(
        std::shared_ptr<ServerCore> core, boost::asio::ip::tcp::socket socket, std::string peer);
    ~HttpSession();
    HttpSession(const HttpSession&) = delete;
    HttpSession& operator=(const HttpSession&) = delete;

    /// Serves until the connection ends. Throws nothing but bugs.
    boost::asio::awaitable<void> run();

    /// The service drains: an idle connection ends now, a busy one after its answer.
    void end_if_idle();
    /// Somebody else needs the place: says 503 where nothing was said yet, closes now, and counts
    /// no longer.
    void evict();
    /// The drain's deadline has passed.
    void abort() { connection_.close(); }

  private:
    using AwaitedResponse = boost::asio::awaitable<http::Response>;

    boost::asio::awaitable<bool> serve_one();  // false: the connection is done
    boost::asio::awaitable<bool> serve(const Head& head);
    AwaitedResponse answer_or_problem(const Head& head, BodyReader& body, http::Request& request);
    AwaitedResponse answer(const Head& head, BodyReader& body, http::Request& request);
    /// Whose secret it is; a refusal when too many unknown ones came.
    boost::asio::awaitable<std::optional<http::Response>> look_up(
        const std::string& secret, http::Request& request);
    /// Who asks; a refusal when they may not.
    boost::asio::awaitable<std::optional<http::Response>> identify(
        const Head& head, http::Request& request);
    /// A refusal when the caller asks too often.
    std::optional<http::Response> count_rate(const http::Request& request, const Trust& trust);
    AwaitedResponse carry_out(http::Request& request);
    AwaitedResponse begin_listening(http::Request& request);
    boost::asio::awaitable<void> tell_listener();
    boost::asio::awaitable<void> refuse(const Refusal& refusal);
    boost::asio::awaitable<void> send(
        const http::Response& response, const std::string& method, bool keep_alive);
    std::string head_of(const http::Response& response, std::uint64_t size, bool keep_alive) const;
    http::Response problem_of(Errc code, const char* message, const std::string& path) const;
    void count(int status);
    void count_as(std::string peer);
    void log_refusal(const Head& head, int status) const;
    void leave_limits();
    void become_known(const std::string& token);

    std::shared_ptr<ServerCore> core_;
    std::string peer_;    // whom the limits count it for: behind a trusted proxy, whom it forwards
    const bool is_near_;  // it comes from this machine
    std::string token_;   // key of the one it has shown; empty for a guest
    Connection connection_;
    const Route* route_ = nullptr;  // of the request in progress
    struct Listening {
        Listening(EventFeed::Seat taken, EventWish asked)
            : seat(std::move(taken)), wish(std::move(asked)) {}
        EventFeed::Seat seat;
        EventWish wish;
    };
    std::optional<Listening> listening_;  // to live events: the connection ends with them
    std::optional<Allowance> allowance_;  // of the request in progress, where it is counted
    bool idle_ = false;
    /// 503 would be wrong now: an answer is on its way, or a change may be made, or nothing was
    /// asked since the last answer.
    bool silent_ = false;
    std::string request_id_;  // of the request in progress
    std::string trace_;       // its traceparent; empty: none
    std::string caller_;      // the name of its token; empty: none that is known
    std::string address_;     // it comes from
};

}  // namespace vigil::service
