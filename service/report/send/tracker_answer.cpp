#include "service/report/send/tracker_answer.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/http/client.hpp"
#include "schema/text/escape.hpp"

namespace vigil::service {

namespace {

std::optional<std::int64_t> whole_number(const std::string& text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
    return value;
}

std::optional<std::int64_t> header_number(const http::Exchange& exchange, const std::string& name) {
    const auto found = exchange.response.headers.find(name);
    if (found == exchange.response.headers.end()) return std::nullopt;
    return whole_number(found->second);
}

}  // namespace

std::string repository_path(const ReportTarget& target) {
    return http::parse_base_url(target.base_url).prefix + "/repos/" + target.repository;
}

bool is_answered(const http::Exchange& exchange) {
    return exchange.progress == http::SendProgress::answered;
}

std::string text_at(const nlohmann::json& value, const char* key) {
    const auto found = value.is_object() ? value.find(key) : value.end();
    return value.is_object() && found != value.end() && found->is_string()
               ? found->get<std::string>()
               : "";
}

std::optional<std::int64_t> requested_wait(const http::Exchange& exchange, std::int64_t now_s) {
    if (const auto seconds = header_number(exchange, "retry-after")) {
        return now_s + std::min(*seconds, max_wait_s - 1) + 1;  // our second has begun already
    }
    const auto remaining = header_number(exchange, "x-ratelimit-remaining");
    const auto reset = header_number(exchange, "x-ratelimit-reset");
    if (remaining == std::int64_t{0} && reset) return std::min(*reset, now_s + max_wait_s);
    return std::nullopt;
}

SendReply tracker_reply(
    const http::Exchange& exchange, const std::string& doing, std::int64_t now_s) {
    if (exchange.progress == http::SendProgress::not_sent) {
        return unanswered(doing + ": not sent: " + exchange.message);
    }
    if (exchange.progress == http::SendProgress::maybe_sent) {
        auto reply = unanswered(doing + ": no answer, it may have been done: " + exchange.message);
        reply.may_exist = true;
        return reply;
    }
    const int status = exchange.response.status;
    SendReply reply = later(fmt::format(
        "{}: the tracker answered {} {}",
        doing,
        status,
        text::harmless(http::failure_text(exchange.response), 300)));
    reply.not_before_s = requested_wait(exchange, now_s);
    if (status == 429 || status == 403) {
        // Of a 403 without a word on waiting nobody knows whether it means the pace or the token.
        reply.outcome = reply.not_before_s ? SendOutcome::wait : SendOutcome::slower;
        reply.quiet_until_s = reply.not_before_s.value_or(now_s + default_wait_s);
        if (!reply.not_before_s) {
            reply.message += "; we are too fast, or the token lacks permission to write issues";
        }
    } else if (status == 422) {
        // It means a message that is not valid, and now and then a tracker that has enough of us.
        reply.outcome = SendOutcome::slower;
    } else if (status == 404) {
        reply.message +=
            "; there is no such repository, or the token may not see it or write its issues";
    } else if (status == 401) {
        reply.message += "; the token is not valid";
    } else if (status >= 300 && status < 400 && !exchange.message.empty()) {
        reply.outcome = SendOutcome::wait;
        reply.message = doing + ": the tracker " + exchange.message + ", which is next";
        reply.not_before_s = now_s + 1;
    } else if (status >= 300 && status < 400) {
        reply.message +=
            "; redirects are followed on the same host only: put the new address into "
            "base_url and repository";
    } else if (status >= 500) {
        reply.may_exist = true;
    } else if (status >= 400 && status != 408) {
        reply.outcome = SendOutcome::refused;
    }
    return reply;
}

std::optional<std::int64_t> issue_number(const std::string& ref) {
    const auto slash = ref.rfind('/');
    if (slash == ref.npos) return std::nullopt;
    return whole_number(ref.substr(slash + 1));
}

}  // namespace vigil::service
