#include "service/report/github_tracker.hpp"

#include <charconv>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/http/client.hpp"
#include "schema/wire/json.hpp"
#include "service/report/text.hpp"

namespace vigil::service {

namespace {

constexpr int page_size = 100;
constexpr int max_pages = 1000;

std::string read_token(const std::string& file) {
    if (file.empty()) return "";
    std::ifstream in(file, std::ios::binary);
    if (!in) throw Error(Errc::unavailable, "reading the tracker's token: cannot open " + file);
    std::string token{std::istreambuf_iterator<char>(in), {}};
    while (!token.empty() &&
           (token.back() == '\n' || token.back() == '\r' || token.back() == ' ')) {
        token.pop_back();
    }
    if (token.empty())
        throw Error(Errc::unavailable, "reading the tracker's token: " + file + " is empty");
    return token;
}

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

/// Until when the server wants us quiet; nullopt: it does not say.
std::optional<std::int64_t> asked_wait(const http::Exchange& exchange, std::int64_t now_s) {
    if (const auto seconds = header_number(exchange, "retry-after")) return now_s + *seconds;
    const auto remaining = header_number(exchange, "x-ratelimit-remaining");
    const auto reset = header_number(exchange, "x-ratelimit-reset");
    if (remaining == std::int64_t{0} && reset) return *reset;
    return std::nullopt;
}

/// The issue's address from the server's reply; nullopt when the reply is not an issue.
std::optional<std::string> issue_in(const nlohmann::json& value, const ReportTarget& target) {
    if (!value.is_object()) return std::nullopt;
    const auto number = value.find("number");
    if (number == value.end() || !number->is_number_integer()) return std::nullopt;
    const std::string tail = "/" + std::to_string(number->get<std::int64_t>());
    const auto url = value.find("html_url");
    if (url != value.end() && url->is_string() && url->get<std::string>().ends_with(tail)) {
        return url->get<std::string>();
    }
    return fmt::format("{}/repos/{}/issues{}", target.base_url, target.repository, tail);
}

nlohmann::json parse_answer(const http::Exchange& exchange) {
    return wire::parse_json(exchange.response.body, "the tracker's answer");
}

}  // namespace

SendReply judge_answer(
    const http::Exchange& exchange, const std::string& doing, std::int64_t now_s) {
    if (exchange.delivery == http::Delivery::not_sent) {
        return later(doing + ": not sent: " + exchange.message);
    }
    if (exchange.delivery == http::Delivery::maybe_sent) {
        SendReply reply = later(doing + ": no answer, it may have been done: " + exchange.message);
        reply.may_exist = true;
        return reply;
    }
    const int status = exchange.response.status;
    SendReply reply = later(fmt::format(
        "{}: the tracker answered {} {}",
        doing,
        status,
        harmless(http::failure_text(exchange.response), 300)));
    reply.not_before_s = asked_wait(exchange, now_s);
    if (status == 429 || (status == 403 && reply.not_before_s)) {
        reply.outcome = SendOutcome::wait;
    } else if (status == 404) {
        reply.message +=
            "; there is no such repository, or the token may not see it or write its issues";
    } else if (status == 403) {
        reply.message += "; the token needs permission to write issues";
    } else if (status == 401) {
        reply.message += "; the token is not valid";
    } else if (status >= 300 && status < 400) {
        reply.message += "; redirects are not followed: put the new address into base_url";
    } else if (status >= 500) {
        reply.may_exist = true;
    } else if (status >= 400 && status != 408) {
        reply.outcome = SendOutcome::refused;
    }
    return reply;
}

bool has_marker_line(const std::string& body, const std::string& marker) {
    std::size_t from = 0;
    while (from <= body.size()) {
        const std::size_t end = std::min(body.find('\n', from), body.size());
        std::string line = body.substr(from, end - from);
        const auto first = line.find_first_not_of(" \t\r");
        const auto last = line.find_last_not_of(" \t\r");
        if (first != line.npos && line.substr(first, last - first + 1) == marker) return true;
        from = end + 1;
    }
    return false;
}

std::optional<std::int64_t> issue_number(const std::string& ref) {
    const auto slash = ref.rfind('/');
    if (slash == ref.npos) return std::nullopt;
    return whole_number(ref.substr(slash + 1));
}

GithubTracker::GithubTracker(const ReportTarget& target, std::function<std::int64_t()> now_s)
    : target_(target), now_s_(std::move(now_s)) {}

http::Exchange GithubTracker::call(
    const std::string& method, const std::string& path, const std::string& body) const {
    try {
        const http::Client client(target_.base_url, read_token(target_.token_file));
        http::CallOptions options;
        options.timeout = std::chrono::milliseconds(timeout_ms_);
        options.max_response_bytes = std::int64_t{32} << 20;
        const http::Headers headers{
            {"accept", "application/vnd.github+json"},
            {"user-agent", "vigil"},
            {"x-github-api-version", "2022-11-28"}};
        return client.try_send(method, path, body, headers, options);
    } catch (const Error& error) {
        http::Exchange exchange;
        exchange.message = error.what();
        return exchange;
    }
}

SendReply GithubTracker::find(const std::string& marker) {
    for (int page = 1; page <= max_pages; ++page) {
        const auto exchange = call(
            "GET",
            fmt::format(
                "/repos/{}/issues?state=all&sort=created&direction=desc&per_page={}&page={}",
                target_.repository,
                page_size,
                page),
            "");
        const std::string doing = fmt::format("looking for the issue on page {}", page);
        if (exchange.delivery != http::Delivery::answered || !exchange.response.ok()) {
            return judge_answer(exchange, doing, now_s_());
        }
        try {
            const auto issues = parse_answer(exchange);
            if (!issues.is_array()) return later(doing + ": the answer is not a list");
            if (issues.empty()) return sent("");
            for (const auto& issue : issues) {
                if (!issue.is_object() || issue.contains("pull_request")) continue;
                const auto body = issue.find("body");
                if (body == issue.end() || !body->is_string()) continue;
                if (!has_marker_line(body->get<std::string>(), marker)) continue;
                if (auto ref = issue_in(issue, target_)) return sent(*ref);
            }
        } catch (const Error& error) {
            return later(doing + ": " + error.what());
        }
    }
    return later("looking for the issue: there are too many issues to look through");
}

SendReply GithubTracker::create(const IssueText& text) {
    const nlohmann::json body = {{"title", text.title}, {"body", text.body}};
    const auto exchange =
        call("POST", fmt::format("/repos/{}/issues", target_.repository), wire::write_json(body));
    const std::string doing = "filing the issue";
    if (exchange.delivery != http::Delivery::answered || !exchange.response.ok()) {
        return judge_answer(exchange, doing, now_s_());
    }
    SendReply reply = later(doing + ": the answer does not name the issue");
    reply.may_exist = true;
    try {
        if (auto ref = issue_in(parse_answer(exchange), target_)) return sent(*ref);
    } catch (const Error& error) {
        reply.message = doing + ": " + error.what();
    }
    return reply;
}

SendReply GithubTracker::update(const std::string& ref, const IssueText& text) {
    const auto number = issue_number(ref);
    if (!number) {
        SendReply reply = later("updating the issue: " + ref + " has no number");
        reply.outcome = SendOutcome::refused;
        return reply;
    }
    nlohmann::json body = {{"title", text.title}, {"body", text.body}};
    if (text.closed) body["state"] = "closed";
    const auto exchange = call(
        "PATCH",
        fmt::format("/repos/{}/issues/{}", target_.repository, *number),
        wire::write_json(body));
    if (exchange.delivery == http::Delivery::answered && exchange.response.ok()) return sent(ref);
    SendReply reply = judge_answer(exchange, fmt::format("updating issue {}", *number), now_s_());
    reply.may_exist = false;  // it is known to be there; updating twice is harmless
    if (exchange.delivery == http::Delivery::answered && exchange.response.status == 410) {
        reply.message += "; somebody deleted the issue, so it is not filed again";
    }
    return reply;
}

}  // namespace vigil::service
