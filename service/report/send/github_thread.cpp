#include "service/report/send/github_thread.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/http/client.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/times.hpp"
#include "schema/wire/json.hpp"
#include "service/report/send/tracker_answer.hpp"
#include "service/report/send/tracker_session.hpp"

namespace vigil::service {

namespace {

constexpr std::int64_t permission_lasts_s = 300;
constexpr std::size_t max_known = 1000;

SendReply counted(SendReply reply) {
    reply.wrote = true;
    return reply;
}

/// @throws Error{invalid_argument} when it is no pull request as GitHub tells of one
PullFacts read_pull(const nlohmann::json& value) {
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
    // The repository's own name as it is now, which need not be the config's.
    const auto home = text_at(part(part(value, "head"), "repo"), "full_name");
    const auto into = text_at(part(part(value, "base"), "repo"), "full_name");
    facts.is_fork = home.empty() || text::lower_case(home) != text::lower_case(into);
    facts.is_open = text_at(value, "state") == "open";
    facts.at_s = *at_s;
    return facts;
}

}  // namespace

GithubThread::Permission GithubThread::ask_permission(
    const ReportTarget& target, const std::string& login, std::int64_t now_s) {
    const auto key = target.name + "/" + text::lower_case(login);
    const auto known = known_.find(key);
    if (known != known_.end() && now_s < known->second.until_s) {
        return {sent(""), known->second.may_write};
    }
    const auto exchange = session_.call(
        target,
        "GET",
        fmt::format(
            "{}/collaborators/{}/permission",
            repository_path(target),
            http::percent_encode(login)));
    const std::string doing = "asking what the author of a comment may do";
    bool may_write = false;
    if (!is_answered(exchange) || exchange.response.status != 404) {  // nobody it knows
        if (!is_answered(exchange) || !exchange.response.ok()) {
            return {counted(tracker_reply(exchange, doing, now_s)), false};
        }
        try {
            const auto said = text_at(
                wire::parse_json(exchange.response.body, "the tracker's answer"), "permission");
            may_write = said == "write" || said == "maintain" || said == "admin";
        } catch (const Error& error) {
            return {counted(later(doing + ": " + error.what())), false};
        }
    }
    if (known_.size() >= max_known) known_.clear();
    known_[key] = {may_write, now_s + permission_lasts_s};
    return {counted(sent("")), may_write};
}

GithubThread::Pull GithubThread::ask_pull(
    const ReportTarget& target, std::int64_t number, std::int64_t now_s) {
    const auto exchange =
        session_.call(target, "GET", fmt::format("{}/pulls/{}", repository_path(target), number));
    const auto doing = fmt::format("asking about pull request {}", number);
    if (is_answered(exchange) && exchange.response.status == 404)
        return {counted(sent("")), std::nullopt};
    if (!is_answered(exchange) || !exchange.response.ok()) {
        return {counted(tracker_reply(exchange, doing, now_s)), std::nullopt};
    }
    try {
        const auto value = wire::parse_json(exchange.response.body, "the tracker's answer");
        return {counted(sent("")), read_pull(value)};
    } catch (const Error& error) {
        return {counted(later(doing + ": " + error.what())), std::nullopt};
    }
}

}  // namespace vigil::service
