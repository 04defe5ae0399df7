#include "service/http/session.hpp"

#include <chrono>

#include "schema/log/log.hpp"
#include "schema/text/read_budget.hpp"
#include "schema/wire/traceparent.hpp"
#include "schema/wire/value_error.hpp"
#include "service/api/audit.hpp"
#include "service/api/hooks.hpp"
#include "service/http/auth.hpp"
#include "service/http/conditions.hpp"
#include "service/http/dispatch.hpp"
#include "service/http/hangup_watch.hpp"
#include "service/http/head_text.hpp"
#include "service/http/idempotency.hpp"
#include "service/http/receive.hpp"
#include "service/http/transfer.hpp"
#include "service/pages/common/cookie.hpp"
#include "service/pages/common/form.hpp"
#include "service/pages/common/pages.hpp"
#include "service/runtime/clock.hpp"

namespace vigil::service {

namespace {

namespace asio = boost::asio;

http::Response refusal_response(const Refusal& refusal, const std::string& path) {
    auto response = http::problem_response(refusal.status, refusal.why, path);
    if (refusal.status == 503) response.headers["retry-after"] = "1";
    if (refusal.status == 401) response.headers["www-authenticate"] = "Bearer";
    return response;
}

/// The route of the API, else of the pages.
Match find_route(const Head& head) {
    auto match = match_route(all_routes(), head.method, head.target.path);
    if (match.route != nullptr || !match.allow.empty()) return match;
    return match_route(page_routes(), head.method, head.target.path);
}

}  // namespace

HttpSession::HttpSession(
    std::shared_ptr<ServerCore> core, asio::ip::tcp::socket socket, std::string peer)
    : core_(std::move(core)),
      peer_(std::move(peer)),
      is_near_(is_loopback(peer_)),
      connection_(
          std::move(socket),
          std::chrono::seconds(core_->api.config.now().http.request_timeout_s),
          std::chrono::seconds(core_->api.config.now().http.idle_timeout_s)) {
    core_->sessions.insert(this);
    core_->guests.add(peer_, this);
    ++core_->counters.connections;
}

HttpSession::~HttpSession() {
    core_->sessions.erase(this);
    leave_limits();
    --core_->counters.connections;
    if (core_->session_ended) core_->session_ended();
}

void HttpSession::count(int status) {
    const std::string pattern(route_ == nullptr ? std::string_view("none") : route_->pattern);
    ++core_->counters.requests[{pattern, status}];
}

asio::awaitable<void> HttpSession::run() {
    try {
        while (co_await serve_one()) {
        }
    } catch (const boost::system::system_error& error) {
        log_debug("http.connection_lost", {{"reason", error.code().message()}});
    } catch (const std::exception& error) {
        log_error("http.session_failed", {{"reason", error.what()}});
    }
}

asio::awaitable<bool> HttpSession::serve_one() {
    if (core_->draining && !connection_.has_buffered()) co_return false;
    route_ = nullptr;
    idle_ = true;
    const bool came = co_await connection_.wait_for_request();
    idle_ = false;
    silent_ = false;
    if (!came) co_return false;
    const std::string raw = co_await connection_.read_head();
    if (raw.empty()) {
        const Refusal refusal{431, "the header is larger than 16 KiB"};
        co_await refuse(refusal);
        co_return false;
    }
    const auto parsed = parse_head(raw);
    if (const auto* refusal = std::get_if<Refusal>(&parsed)) {
        co_await refuse(*refusal);
        co_return false;
    }
    co_return co_await serve(std::get<Head>(parsed));
}

asio::awaitable<void> HttpSession::refuse(const Refusal& refusal) {
    count(refusal.status);
    auto response = refusal_response(refusal, "");
    add_request_id(response, request_id_of({}));
    co_await send(response, "", false);
    co_await connection_.linger();
}

asio::awaitable<bool> HttpSession::serve(const Head& head) {
    const auto begun = std::chrono::steady_clock::now();
    BodyReader body(connection_, head);
    allowance_.reset();
    request_id_ = request_id_of(head.headers);
    const auto trace = head.headers.find("traceparent");
    const bool is_traced = trace != head.headers.end() && wire::is_traceparent(trace->second);
    trace_ = is_traced ? trace->second : "";
    caller_.clear();
    auto request = request_of(head, request_id_);
    auto response = co_await answer_or_problem(head, body, request);
    const bool is_page = route_ != nullptr ? route_->reply == Reply::page : is_browser(request);
    if (is_page) response = for_browser(request, std::move(response));
    if (response.status >= 400) log_refusal(head, response.status);
    add_request_id(response, request_id_);
    if (route_ != nullptr) tell_ending(route_->ending, response);
    if (is_traced) response.headers["traceparent"] = trace_;
    if (allowance_) tell_allowance(response, *allowance_);
    count(response.status);
    const bool keep_alive =
        head.keep_alive && body.done() && !core_->draining && !listening_.has_value();
    co_await send(response, head.method, keep_alive);
    if (listening_ && head.method != "HEAD") co_await tell_listener();
    const auto took = std::chrono::steady_clock::now() - begun;
    log_debug(
        "http.request",
        {{"method", head.method},
         {"path", head.target.path},
         {"status", response.status},
         {"request_id", request_id_},
         {"traceparent", trace_},
         {"took_ms", std::chrono::duration_cast<std::chrono::milliseconds>(took).count()}});
    if (!body.done()) co_await connection_.linger();
    co_return keep_alive;
}

// What a known caller wanted to change and did not is in the log; the audit log has what was done.
void HttpSession::log_refusal(const Head& head, int status) const {
    if (caller_.empty() || !is_audited(*route_)) return;
    log_info(
        "http.refused",
        {{"who", caller_},
         {"address", address_},
         {"action", action_of(*route_)},
         {"path", head.target.path},
         {"status", status},
         {"request_id", request_id_},
         {"traceparent", trace_}});
}

http::Response HttpSession::problem_of(
    Errc code, const char* message, const std::string& path) const {
    const bool writes = route_ != nullptr && route_->place != WorkPlace::reader &&
                        route_->place != WorkPlace::long_reader;
    if (code == Errc::unavailable && writes && !has_room(core_->api.config.now(), 0)) {
        log_error("http.disk_full", {{"path", path}, {"reason", message}});
        return http::problem_response(507, "the service's disk is full; reads still work", path);
    }
    const auto tell = [&](auto log, std::string_view event) {
        log(event,
            {{"path", path},
             {"request_id", request_id_},
             {"traceparent", trace_},
             {"reason", message}});
    };
    if (code == Errc::internal) {
        tell(log_error, "http.request_failed");
        return http::problem_response(
            500, "an error of the service; its log has the details", path);
    }
    if (code == Errc::unavailable) {
        tell(log_warn, "http.unavailable");
        auto response = http::problem_response(503, "the service is busy; try again", path);
        response.headers["retry-after"] = "1";
        return response;
    }
    return http::problem_response(http::status_of(code), message, path);
}

HttpSession::AwaitedResponse HttpSession::answer_or_problem(
    const Head& head, BodyReader& body, http::Request& request) {
    const std::string& path = head.target.path;
    try {
        co_return co_await answer(head, body, request);
    } catch (const text::BudgetError& error) {
        co_return http::problem_response(422, error.what(), path);
    } catch (const wire::ValueError& error) {
        auto problem = problem_of(error.code(), error.what(), path);
        add_pointer(problem, wire::pointer_of(error.path()), error.what());
        co_return problem;
    } catch (const Error& error) {
        co_return problem_of(error.code(), error.what(), path);
    } catch (const boost::system::system_error&) {
        throw;  // the client is gone: there is nobody to answer
    } catch (const std::exception& error) {
        co_return problem_of(Errc::internal, error.what(), path);
    }
}

HttpSession::AwaitedResponse HttpSession::answer(
    const Head& head, BodyReader& body, http::Request& request) {
    const std::string& path = head.target.path;
    auto match = find_route(head);
    if (match.route == nullptr) co_return answer_unrouted(match, head.method, path);
    route_ = match.route;
    request.parameters = std::move(match.parameters);
    boost::system::error_code gone;  // the client left already: its first write tells
    const auto origin = origin_of(
        connection_.socket().remote_endpoint(gone).address(),
        head.headers,
        core_->api.config.now().http.trusted_proxies);
    request.address = address_ = origin.to_string();
    count_as(peer_of(origin));
    if (auto refusal = co_await identify(head, request)) co_return *std::move(refusal);
    if (auto refusal = refuse_tagless(*route_, request)) co_return *std::move(refusal);
    if (route_->place == WorkPlace::hook) {
        if (auto refusal = refuse_hook(request, core_->api.config.now()))
            co_return *std::move(refusal);
    }
    BodyHold hold{BodyHolding(
        core_->body_memory,
        body_share_of(*route_, request.caller),
        request.caller ? request.caller->key() : peer_)};
    const Sender sender{*core_, *route_, peer_, connection_};
    if (const auto refusal = co_await receive_body(sender, head, body, request, hold)) {
        co_return refusal_response(*refusal, path);
    }
    if (route_->body == BodyRule::form) {
        const auto why = refuse_form(request, core_->api.config.now());
        if (why) co_return http::problem_response(403, *why, path);
        form_to_json(request);
    }
    auto response = co_await carry_out(request);
    const bool is_probe = route_->place == WorkPlace::alive || route_->place == WorkPlace::ready;
    if (!is_probe && !listening_) apply_conditions(request, response);
    co_return response;
}

asio::awaitable<std::optional<http::Response>> HttpSession::look_up(
    const std::string& secret, http::Request& request) {
    request.caller = core_->tokens.find(secret);
    if (request.caller) co_return std::nullopt;
    const auto wait = core_->guesses.take(peer_, std::chrono::steady_clock::now());
    if (wait.count() > 0) {
        auto refusal = http::problem_response(
            429, "too many unknown tokens came from this address", request.path);
        refusal.headers["retry-after"] = std::to_string(wait.count());
        co_return refusal;
    }
    request.caller = co_await find_caller(*core_, secret);
    if (request.caller) core_->guesses.give_back(peer_);
    co_return std::nullopt;
}

asio::awaitable<std::optional<http::Response>> HttpSession::identify(
    const Head& head, http::Request& request) {
    auto secret = bearer_secret(head.headers);
    request.headers.erase("authorization");
    if (route_->access == Access::everyone) co_return std::nullopt;
    if (!secret && route_->reply == Reply::page) secret = cookie_secret(head.headers);
    if (secret) {
        if (auto refusal = co_await look_up(*secret, request)) co_return refusal;
    }
    if (request.caller) {
        caller_ = request.caller->name;
        become_known(request.caller->key());
    }
    const Trust trust{
        core_->bound_to_loopback, names_loopback(head.host), is_forwarded(head.headers)};
    if (auto refusal = count_rate(request, trust)) co_return refusal;
    const auto& config = core_->api.config.now();
    const bool open = may_read_openly(*route_, request, config, trust);
    auto refusal = check_access(
        route_->access, request.caller, secret.has_value(), open, core_->api.clock.now_s());
    if (!refusal && request.caller) refusal = check_worker(route_->access, *request.caller, config);
    if (!refusal) {
        if (request.caller) tell_use(core_, request.caller->id);
        co_return std::nullopt;
    }
    co_return refusal_response(*refusal, request.path);
}

std::optional<http::Response> HttpSession::count_rate(
    const http::Request& request, const Trust& trust) {
    const int limit = core_->api.config.now().http.max_requests_a_minute;
    const auto& caller = request.caller;
    const bool is_worker = caller && caller->scopes.may(Scope::worker);
    const bool is_here =
        (trust.bound_to_loopback || is_near_) && trust.host_is_loopback && !trust.forwarded;
    if (limit == 0 || is_worker || is_here) return std::nullopt;
    const auto name = caller ? caller->key() : "address " + peer_;
    allowance_ = core_->rates.take(name, limit, std::chrono::steady_clock::now());
    if (allowance_->wait.count() == 0) return std::nullopt;
    auto refusal = http::problem_response(
        429, "more than " + std::to_string(limit) + " requests a minute", request.path);
    refusal.headers["retry-after"] = std::to_string(allowance_->wait.count());
    return refusal;
}

HttpSession::AwaitedResponse HttpSession::carry_out(http::Request& request) {
    if (route_->place == WorkPlace::stream) co_return co_await begin_listening(request);
    if (route_->place == WorkPlace::sign_in) {
        const auto secret = sign_in_secret(request);
        if (auto refusal = co_await look_up(secret, request)) co_return *std::move(refusal);
    }
    silent_ = route_->method != "GET";
    if (route_->place != WorkPlace::claim) {
        Patience patience;
        co_return co_await dispatch(*core_, *route_, request, patience);
    }
    HangupWatch watch(connection_.socket());
    co_return co_await dispatch(*core_, *route_, request, watch.patience());
}

HttpSession::AwaitedResponse HttpSession::begin_listening(http::Request& request) {
    if (core_->feed.listeners() >= core_->api.config.now().http.max_listeners) {
        auto response = http::problem_response(
            503, "as many listen already as http.max_listeners allows", request.path);
        response.headers["retry-after"] = "5";
        co_return response;
    }
    EventFeed::Seat seat(core_->feed);
    auto wish = co_await load_event_wish(*core_, request);
    listening_.emplace(std::move(seat), std::move(wish));
    leave_limits();  // listeners are counted apart
    auto response = http::text_response("", "text/event-stream; charset=utf-8");
    response.headers["x-accel-buffering"] = "no";
    co_return response;
}

asio::awaitable<void> HttpSession::tell_listener() {
    HangupWatch watch(connection_.socket());
    try {
        co_await tell_events(core_, connection_, listening_->wish, watch.patience());
    } catch (const Error& error) {  // the client comes again, and goes on where it ended
        log_warn("http.listener_ended", {{"reason", error.what()}});
    }
}

std::string HttpSession::head_of(
    const http::Response& response, std::uint64_t size, bool keep_alive) const {
    const auto told = listening_ ? std::optional<std::uint64_t>() : size;
    return head_text(response, told, keep_alive, core_->api.clock.now_s());
}

asio::awaitable<void> HttpSession::send(
    const http::Response& response, const std::string& method, bool keep_alive) {
    silent_ = true;
    if (response.body_file) {
        Download download(core_->api.content, *response.body_file);
        const auto size = co_await download.begin(response.part);
        const std::string head = head_of(response, size, keep_alive);
        co_await connection_.write(head);
        std::string piece;
        while (method != "HEAD" && co_await download.next(piece)) {
            co_await connection_.write(piece);
        }
        co_return;
    }
    std::string bytes = head_of(response, response.body.size(), keep_alive);
    if (method != "HEAD") bytes += response.body;
    co_await connection_.write(bytes);
}

}  // namespace vigil::service
