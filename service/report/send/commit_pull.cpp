#include "service/report/send/commit_pull.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "schema/http/client.hpp"
#include "schema/model/error.hpp"
#include "schema/text/characters.hpp"
#include "schema/wire/json.hpp"
#include "service/report/send/tracker_answer.hpp"
#include "service/report/send/tracker_session.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

json member(const json& value, const char* key) {
    return value.is_object() && value.contains(key) ? value.at(key) : json();
}

bool is_into(
    const json& pull, const std::string& repository, std::optional<std::int64_t> repository_id) {
    const auto home = member(member(pull, "base"), "repo");
    if (repository_id && member(home, "id") == json(*repository_id)) return true;
    return text::lower_case(text_at(home, "full_name")) == text::lower_case(repository);
}

/// The repository has no such commit.
bool is_unknown(int status) {
    return status == 404 || status == 409 || status == 422;
}

bool is_forbidden(const http::Exchange& exchange) {
    return exchange.response.status == 403 &&
           http::failure_text(exchange.response).find("not accessible") != std::string::npos;
}

}  // namespace

std::optional<std::int64_t> pull_that_brought(
    const json& all,
    const Revision& commit,
    const std::string& repository,
    std::optional<std::int64_t> repository_id) {
    std::optional<std::int64_t> first;
    std::string first_merged_at;
    for (const auto& pull : all) {
        const auto merged_at = text_at(pull, "merged_at");
        const auto number = member(pull, "number");
        if (merged_at.empty() || !number.is_number_integer() ||
            !is_into(pull, repository, repository_id)) {
            continue;
        }
        if (text_at(pull, "merge_commit_sha") == commit.str()) return number.get<std::int64_t>();
        if (first && merged_at >= first_merged_at) continue;
        first = number.get<std::int64_t>();
        first_merged_at = merged_at;
    }
    return first;
}

CommitPull ask_commit_pull(
    TrackerSession& session,
    const ReportTarget& target,
    const Revision& commit,
    std::int64_t now_s) {
    const auto doing = fmt::format("asking which pull request brought {}", commit.brief());
    try {
        const auto path =
            fmt::format("{}/commits/{}/pulls?per_page=100", repository_path(target), commit.str());
        const auto exchange = session.call(target, "GET", path);
        if (is_answered(exchange) && is_unknown(exchange.response.status)) {
            return {sent(""), std::nullopt};
        }
        if (!is_answered(exchange) || !exchange.response.ok()) {
            auto reply = tracker_reply(exchange, doing, now_s);
            if (is_answered(exchange) && is_forbidden(exchange)) {
                reply.outcome = SendOutcome::refused;
                reply.quiet_until_s.reset();  // that is no matter of pace
            }
            return {reply, std::nullopt};
        }
        const auto all = wire::parse_json(exchange.response.body, "the tracker's answer");
        if (!all.is_array()) return {later(doing + ": the answer is not a list"), std::nullopt};
        const auto id = session.moved_id(target);
        return {sent(""), pull_that_brought(all, commit, target.repository, id)};
    } catch (const Error& error) {
        return {later(doing + ": " + error.what()), std::nullopt};
    }
}

}  // namespace vigil::service
