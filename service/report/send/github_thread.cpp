#include "service/report/send/github_thread.hpp"

#include <variant>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/http/client.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/times.hpp"
#include "schema/wire/json.hpp"
#include "service/config/links.hpp"
#include "service/report/send/tracker_answer.hpp"

namespace vigil::service {

namespace {

constexpr std::int64_t permission_lasts_s = 300;
constexpr std::size_t max_known = 1000;
constexpr int comment_page = 100;
constexpr int max_comment_pages = 25;  // an issue holds 2,500 comments

std::string address_in(const nlohmann::json& comment) {
    auto url = text_at(comment, "html_url");
    return is_plain_url(url) ? url : "the thread";
}

/// @throws Error{invalid_argument} when it is no pull request as GitHub tells of one
PullFacts read_pull(const nlohmann::json& value, const ReportTarget& target) {
    const auto part = [](const nlohmann::json& whole, const char* key) {
        return whole.is_object() && whole.contains(key) ? whole.at(key) : nlohmann::json();
    };
    const auto at_s = text::parse_time(text_at(value, "updated_at"));
    const auto number = part(value, "number");
    if (!at_s || !number.is_number_integer()) {
        throw Error(Errc::invalid_argument, "the answer is no pull request");
    }
    PullFacts facts;
    facts.number = number.get<std::int64_t>();
    facts.head = Revision(text_at(part(value, "head"), "sha"));
    facts.base = Revision(text_at(part(value, "base"), "sha"));
    const auto home = text_at(part(part(value, "head"), "repo"), "full_name");
    facts.is_fork = text::lower_case(home) != text::lower_case(target.repository);
    facts.is_open = text_at(value, "state") == "open";
    facts.at_s = *at_s;
    return facts;
}

/// The address of the comment with this marker; "" where there is none; what failed else.
std::variant<std::string, SendReply> find_comment(
    const ReportTarget& target, const std::string& path, const Marker& marker, std::int64_t now_s) {
    for (int page = 1; page <= max_comment_pages; ++page) {
        const auto exchange = call_tracker(
            target, "GET", fmt::format("{}?per_page={}&page={}", path, comment_page, page), "");
        const std::string doing = "looking through the comments";
        if (!is_answered(exchange) || !exchange.response.ok()) {
            return tracker_reply(exchange, doing, now_s);
        }
        const auto all = wire::parse_json(exchange.response.body, "the tracker's answer");
        if (!all.is_array()) return later(doing + ": the answer is not a list");
        for (const auto& one : all) {
            if (has_marker_line(text_at(one, "body"), marker.line)) return address_in(one);
        }
        if (all.size() < std::size_t(comment_page)) break;
    }
    return std::string();
}

}  // namespace

GithubThread::Permission GithubThread::ask_permission(
    const ReportTarget& target, const std::string& login, std::int64_t now_s) {
    const auto key = target.name + "/" + text::lower_case(login);
    const auto known = known_.find(key);
    if (known != known_.end() && now_s < known->second.until_s) {
        return {sent(""), known->second.may_write};
    }
    const auto exchange = call_tracker(
        target,
        "GET",
        fmt::format(
            "{}/collaborators/{}/permission", repository_path(target), http::percent_encode(login)),
        "");
    const std::string doing = "asking what the author of a comment may do";
    bool may_write = false;
    if (!is_answered(exchange) || exchange.response.status != 404) {  // nobody it knows
        if (!is_answered(exchange) || !exchange.response.ok()) {
            return {tracker_reply(exchange, doing, now_s), false};
        }
        try {
            const auto said = text_at(
                wire::parse_json(exchange.response.body, "the tracker's answer"), "permission");
            may_write = said == "write" || said == "maintain" || said == "admin";
        } catch (const Error& error) {
            return {later(doing + ": " + error.what()), false};
        }
    }
    if (known_.size() >= max_known) known_.clear();
    known_[key] = {may_write, now_s + permission_lasts_s};
    return {sent(""), may_write};
}

GithubThread::Pull GithubThread::ask_pull(
    const ReportTarget& target, std::int64_t number, std::int64_t now_s) {
    const auto exchange = call_tracker(
        target, "GET", fmt::format("{}/pulls/{}", repository_path(target), number), "");
    const auto doing = fmt::format("asking about pull request {}", number);
    if (is_answered(exchange) && exchange.response.status == 404) return {sent(""), std::nullopt};
    if (!is_answered(exchange) || !exchange.response.ok()) {
        return {tracker_reply(exchange, doing, now_s), std::nullopt};
    }
    try {
        const auto value = wire::parse_json(exchange.response.body, "the tracker's answer");
        return {sent(""), read_pull(value, target)};
    } catch (const Error& error) {
        return {later(doing + ": " + error.what()), std::nullopt};
    }
}

SendReply GithubThread::comment(
    const ReportTarget& target,
    std::int64_t issue,
    const std::string& body,
    const Marker& marker,
    bool look_first,
    std::int64_t now_s) {
    const std::string doing = fmt::format("answering below issue {}", issue);
    try {
        const auto path = fmt::format("{}/issues/{}/comments", repository_path(target), issue);
        if (look_first) {
            auto found = find_comment(target, path, marker, now_s);
            if (auto* failed = std::get_if<SendReply>(&found)) {
                failed->may_exist = true;
                return *failed;
            }
            const auto& address = std::get<std::string>(found);
            if (!address.empty()) return sent(address);
        }
        const nlohmann::json text = {{"body", body}};
        const auto exchange = call_tracker(target, "POST", path, wire::write_json(text));
        SendReply reply;
        if (is_answered(exchange) && exchange.response.ok()) {
            reply = sent("the thread");
            try {
                reply.external_ref =
                    address_in(wire::parse_json(exchange.response.body, "the tracker's answer"));
            } catch (const Error&) {  // it is there all the same
            }
        } else {
            reply = tracker_reply(exchange, doing, now_s);
        }
        reply.wrote = true;
        return reply;
    } catch (const Error& error) {
        auto reply = later(doing + ": " + error.what());
        reply.may_exist = look_first;
        return reply;
    }
}

}  // namespace vigil::service
