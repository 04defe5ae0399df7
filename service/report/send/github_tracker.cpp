#include "service/report/send/github_tracker.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <date/date.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/http/client.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/escape.hpp"
#include "schema/wire/json.hpp"
#include "service/config/links.hpp"
#include "service/config/secret.hpp"
#include "service/report/send/tracker_answer.hpp"
#include "service/report/send/tracker_session.hpp"

namespace vigil::service {

namespace {

constexpr int page_size = 100;
constexpr int max_pages = 1000;
constexpr int max_pages_at_once = 20;  // then others have their turn on the lane
constexpr std::size_t max_searches = 1000;
constexpr std::int64_t clock_slack_s = 86'400;  // between the tracker's clock and ours

/// The issue's address from the server's reply; nullopt when the reply is not an issue.
std::optional<std::string> issue_in(const nlohmann::json& value, const ReportTarget& target) {
    if (!value.is_object()) return std::nullopt;
    const auto number = value.find("number");
    if (number == value.end() || !number->is_number_integer()) return std::nullopt;
    const std::string tail = "/" + std::to_string(number->get<std::int64_t>());
    const auto url = value.find("html_url");
    if (url != value.end() && url->is_string() && url->get<std::string>().ends_with(tail) &&
        is_plain_url(url->get<std::string>())) {
        return url->get<std::string>();
    }
    return fmt::format("{}/repos/{}/issues{}", target.base_url, target.repository, tail);
}

bool is_success(const http::Exchange& exchange) {
    return exchange.progress == http::SendProgress::answered && exchange.response.ok();
}

/// Logins do not differ by case.
bool same_login(const std::string& a, const std::string& b) {
    return text::lower_case(a) == text::lower_case(b);
}

std::string text_in(const nlohmann::json& value, const char* key) {
    if (!value.is_object()) return "";
    const auto found = value.find(key);
    return found != value.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Whether we filed it for this report. @param login  our own account; empty: not known
bool is_ours(const nlohmann::json& issue, const Marker& marker, const std::string& login) {
    if (!issue.is_object() || issue.contains("pull_request")) return false;
    const std::string body = text_in(issue, "body");
    if (login.empty()) return has_marker_line(body, marker.line);
    const auto user = issue.find("user");
    if (user == issue.end() || !same_login(text_in(*user, "login"), login)) return false;
    return has_marker_line(body, marker.line) || has_marker_line(body, marker.unsigned_line);
}

std::string iso_time(std::int64_t seconds) {
    const std::chrono::sys_seconds time{std::chrono::seconds(seconds)};
    return date::format("%Y-%m-%dT%H:%M:%SZ", time);
}

/// Whether it refuses an issue for whom it was to be assigned to.
bool names_assignees(const http::Exchange& exchange) {
    return exchange.progress == http::SendProgress::answered && exchange.response.status == 422 &&
           exchange.response.body.find("\"assignees\"") != std::string::npos;
}

nlohmann::json parse_answer(const http::Exchange& exchange) {
    return wire::parse_json(exchange.response.body, "the tracker's answer");
}

/// The address of an issue that was changed, for its repository may have another name now.
/// @param ref  the one that is known
std::string address_now(const http::Exchange& exchange, const std::string& ref) {
    try {
        const auto url = text_in(parse_answer(exchange), "html_url");
        return is_plain_url(url) && issue_number(url) == issue_number(ref) ? url : ref;
    } catch (const Error&) {  // it is changed all the same
        return ref;
    }
}

}  // namespace

GithubTracker::GithubTracker(
    TrackerSession& session, const ReportTarget& target, std::function<std::int64_t()> now_s)
    : session_(session),
      target_(target),
      now_s_(std::move(now_s)),
      prefix_(http::parse_base_url(target.base_url).prefix) {}

std::string GithubTracker::issues_path() const {
    return fmt::format("{}/repos/{}/issues", prefix_, target_.repository);
}

http::Exchange GithubTracker::call(
    const std::string& method, const std::string& path, const std::string& body) const {
    return session_.call(target_, method, path, body, timeout_ms_);
}

GithubTracker::Account GithubTracker::own_account() {
    if (!target_.account.empty()) return {sent(""), target_.account};
    try {
        const auto token = read_secret_file(target_.token_file, "the tracker's token");
        if (!login_.empty() && token == account_token_) return {sent(""), login_};
        const auto exchange = call("GET", prefix_ + "/user");
        const std::string doing = "asking whose the token is";
        if (is_success(exchange)) {
            login_ = text_in(parse_answer(exchange), "login");
            account_token_ = token;
            return {sent(""), login_};
        }
        const bool answered = exchange.progress == http::SendProgress::answered;
        const int status = exchange.response.status;
        // What an app's token is told, and what a tracker says that has no such question.
        const bool nobody =
            status == 404 ||
            (status == 403 &&
             http::failure_text(exchange.response).find("not accessible") != std::string::npos);
        if (answered && nobody) return {sent(""), ""};
        return {tracker_reply(exchange, doing, now_s_()), ""};
    } catch (const Error& error) {
        return {later(error.what()), ""};
    }
}

std::optional<SendReply> GithubTracker::read_page(
    Search& search, const Marker& marker, const std::string& login, std::int64_t since_s) {
    // Oldest first: what is filed meanwhile comes on later pages.
    const auto path = fmt::format(
        "{}?state=all&sort=created&direction=asc&since={}&per_page={}&page={}",
        issues_path(),
        http::percent_encode(iso_time(since_s - clock_slack_s)),
        page_size,
        search.page);
    const auto exchange = call("GET", path);
    const std::string doing = fmt::format("looking for the issue on page {}", search.page);
    if (!is_success(exchange)) return tracker_reply(exchange, doing, now_s_());
    try {
        const auto issues = parse_answer(exchange);
        if (!issues.is_array()) return later(doing + ": the answer is not a list");
        for (const auto& issue : issues) {
            if (!is_ours(issue, marker, login)) continue;
            const auto ref = issue_in(issue, target_);
            if (ref) search.found[issue_number(*ref).value_or(0)] = *ref;
        }
        if (issues.empty()) return sent("");
    } catch (const Error& error) {
        return later(doing + ": " + error.what());
    }
    ++search.page;
    return std::nullopt;
}

SendReply GithubTracker::stopped(Search& search, SendReply reply) const {
    if (search.page <= search.furthest) {
        reply.in_vain = reply.outcome != SendOutcome::wait;
        return reply;
    }
    search.furthest = search.page;
    reply.came_further = true;
    if (reply.outcome == SendOutcome::later) {
        reply.not_before_s = std::max(reply.not_before_s.value_or(0), now_s_() + first_back_off_s);
    }
    if (reply.outcome != SendOutcome::refused) reply.outcome = SendOutcome::wait;
    return reply;
}

FoundIssues GithubTracker::find(const Marker& marker, std::int64_t since_s) {
    if (searches_.size() >= max_searches) searches_.clear();
    const auto at = searches_.try_emplace(marker.line).first;
    Search& search = at->second;
    const Account account = own_account();
    if (account.reply.outcome != SendOutcome::sent) return {stopped(search, account.reply), {}};
    if (!search.began_s) search.began_s = now_s_();
    std::optional<SendReply> reply;
    const int stop = std::min(search.page + max_pages_at_once, max_pages + 1);
    while (!reply && search.page < stop) {
        reply = read_page(search, marker, account.login, since_s);
    }
    if (!reply && search.page > max_pages) {
        searches_.erase(at);
        return {later("looking for the issue: there are too many issues to look through"), {}};
    }
    FoundIssues all{{}, {}, search.began_s};
    if (reply && reply->outcome == SendOutcome::sent) {
        all.reply = *reply;
        all.reply.came_further = true;
        for (const auto& [number, ref] : search.found) all.refs.push_back(ref);
        searches_.erase(at);
        return all;
    }
    if (!reply) reply = later(fmt::format("looking for the issue: page {} is next", search.page));
    all.reply = stopped(search, *reply);
    search.page = std::max(search.page - 1, 1);  // an issue that was deleted moves the others
    return all;
}

SendReply GithubTracker::create(const IssueText& text) {
    nlohmann::json body = {{"title", text.title}, {"body", text.body}};
    if (!target_.labels.empty()) body["labels"] = target_.labels;
    auto assignees = text.assignees;
    std::erase_if(assignees, [&](const auto& login) { return refused_.contains(login); });
    if (!assignees.empty()) body["assignees"] = assignees;
    const auto exchange = call("POST", issues_path(), wire::write_json(body));
    const std::string doing = "filing the issue";
    SendReply reply;
    if (is_success(exchange)) {
        reply = later(doing + ": the answer does not name the issue");
        reply.may_exist = true;
        try {
            if (auto ref = issue_in(parse_answer(exchange), target_)) reply = sent(*ref);
        } catch (const Error& error) {
            reply.message = doing + ": " + error.what();
        }
    } else {
        reply = tracker_reply(exchange, doing, now_s_());
        if (!assignees.empty() && names_assignees(exchange)) {
            refused_.insert(assignees.begin(), assignees.end());
            reply.outcome = SendOutcome::wait;
            reply.not_before_s = now_s_() + 1;
        }
    }
    reply.filed = reply.may_exist || reply.outcome == SendOutcome::sent;
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
    if (text.state != IssueState::as_it_is) {
        body["state"] = text.state == IssueState::closed ? "closed" : "open";
    }
    const std::string path = fmt::format("{}/{}", issues_path(), *number);
    const auto exchange = call("PATCH", path, wire::write_json(body));
    if (is_success(exchange)) return sent(address_now(exchange, ref));
    SendReply reply = tracker_reply(exchange, fmt::format("updating issue {}", *number), now_s_());
    reply.may_exist = false;  // it is known to be there; updating twice is harmless
    if (exchange.progress == http::SendProgress::answered && exchange.response.status == 410) {
        reply.message += "; somebody deleted the issue, so it is not filed again";
    }
    return reply;
}

}  // namespace vigil::service
