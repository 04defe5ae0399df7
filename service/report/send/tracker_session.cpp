#include "service/report/send/tracker_session.hpp"

#include <chrono>

#include "schema/http/client.hpp"
#include "schema/model/error.hpp"
#include "schema/text/escape.hpp"
#include "service/report/send/tracker_answer.hpp"

namespace vigil::service {

http::Exchange TrackerSession::call_once(
    const ReportTarget& target,
    const std::string& method,
    const std::string& path,
    const std::string& body,
    int timeout_ms) {
    try {
        const auto base = http::parse_base_url(target.base_url);
        const std::string origin = (base.secure ? "https://" : "http://") + base.authority();
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        const auto now_s = std::chrono::duration_cast<std::chrono::seconds>(now).count();
        const http::Client client(origin, tokens_.find(target, now_s));
        http::CallOptions options;
        options.timeout = std::chrono::milliseconds(timeout_ms);
        options.max_response_bytes = std::int64_t{32} << 20;
        const http::Headers headers{
            {"accept", "application/vnd.github+json"},
            {"user-agent", "vigil"},
            {"x-github-api-version", "2022-11-28"}};
        options.proxy = target.proxy;
        auto exchange = client.try_send(method, path, body, headers, options);
        const bool refused =
            exchange.progress == http::SendProgress::answered && exchange.response.status == 401;
        if (refused) tokens_.forget(target);
        return exchange;
    } catch (const Error& error) {
        http::Exchange exchange;
        exchange.message = error.what();
        return exchange;
    }
}

http::Exchange TrackerSession::call(
    const ReportTarget& target,
    const std::string& method,
    const std::string& path,
    const std::string& body,
    int timeout_ms) {
    auto exchange = call_once(target, method, moved_.path_now(target, path), body, timeout_ms);
    for (int hop = 0; hop < max_redirects; ++hop) {
        const auto there = redirect_of(target, exchange);
        if (!there) break;
        const bool noted = moved_.note_moved(target, path, *there);
        if (method != "GET") {
            // The redirect was a write of its own: its target's turn comes with the next one.
            if (noted) exchange.message = "moved to " + text::harmless(*there, 300);
            return exchange;
        }
        exchange = call_once(target, method, *there, body, timeout_ms);
    }
    if (is_answered(exchange) && exchange.response.ok()) moved_.note_arrived(target, path);
    return exchange;
}

}  // namespace vigil::service
