#include "tests/support/board_pulls.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace vigil::test {

namespace {

using nlohmann::json;

CannedReply answered(int status, const json& value) {
    CannedReply out;
    out.status = status;
    out.body = value.dump();
    return out;
}

json shown_check(const BoardCheck& check, std::size_t id) {
    return {
        {"id", id},
        {"name", check.name},
        {"head_sha", check.head},
        {"external_id", check.external_id},
        {"app", {{"id", 5}}},
        {"status", check.status}};
}

void take(BoardCheck& check, const json& body) {
    check.name = body.value("name", check.name);
    check.external_id = body.value("external_id", check.external_id);
    check.status = body.value("status", check.status);
    check.conclusion = body.value("conclusion", "");
    check.title = body.at("output").at("title");
    check.summary = body.at("output").at("summary");
}

json base_of(const BoardPull& pull) {
    return {{"id", pull.base_repository_id}, {"full_name", pull.base_repository}};
}

bool is_number(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

}  // namespace

CannedReply BoardPulls::make(const CannedRequest& request) {
    if (!takes_checks) {
        return answered(403, {{"message", "You must authenticate via a GitHub App."}});
    }
    const json body = json::parse(request.body);
    const bool ended = body.at("status") == "completed";
    if (!body.contains("head_sha") || ended != body.contains("conclusion")) {
        return answered(422, {{"message", "a commit, and a conclusion where it is completed"}});
    }
    BoardCheck check;
    check.head = body.at("head_sha");
    take(check, body);
    checks.push_back(check);
    return answered(201, shown_check(check, checks.size()));
}

CannedReply BoardPulls::change(const CannedRequest& request, std::size_t id) {
    if (id == 0 || id > checks.size()) return answered(404, {{"message", "Not Found"}});
    take(checks[id - 1], json::parse(request.body));
    return answered(200, shown_check(checks[id - 1], id));
}

CannedReply BoardPulls::list(const std::string& head) const {
    json page = json::array();
    for (std::size_t i = 0; i < checks.size(); ++i) {
        if (checks[i].head == head) page.push_back(shown_check(checks[i], i + 1));
    }
    return answered(200, {{"total_count", page.size()}, {"check_runs", page}});
}

CannedReply BoardPulls::tell(int number) const {
    const auto found = pulls.find(number);
    if (found == pulls.end()) return answered(404, {{"message", "Not Found"}});
    const auto& pull = found->second;
    json head = {{"sha", pull.head}, {"repo", nullptr}};
    if (!pull.head_repository.empty()) head["repo"] = {{"full_name", pull.head_repository}};
    return answered(
        200,
        {{"number", pull.number},
         {"state", pull.state},
         {"updated_at", "2026-11-21T04:05:00Z"},
         {"head", head},
         {"base", {{"sha", pull.base}, {"repo", base_of(pull)}}}});
}

CannedReply BoardPulls::list_with(const std::string& commit) const {
    json page = json::array();
    for (const auto& [number, pull] : pulls) {
        const auto& all = pull.commits;
        if (std::find(all.begin(), all.end(), commit) == all.end()) continue;
        json merged_at;
        if (!pull.merged_at.empty()) merged_at = pull.merged_at;
        page.push_back(
            {{"number", number},
             {"state", pull.state},
             {"merged_at", merged_at},
             {"base", {{"repo", base_of(pull)}}}});
    }
    return answered(200, page);
}

std::optional<CannedReply> BoardPulls::act(const CannedRequest& request, const std::string& path) {
    static const std::string runs = "/check-runs";
    static const std::string commits = "/commits/";
    static const std::string all_pulls = "/pulls/";
    const bool reads = request.method == "GET";
    if (request.method == "POST" && path == runs) return make(request);
    if (request.method == "PATCH" && path.starts_with(runs + "/")) {
        return change(request, std::stoul(path.substr(runs.size() + 1)));
    }
    if (reads && path.starts_with(commits) && path.ends_with(runs)) {
        const auto size = path.size() - commits.size() - runs.size();
        return list(path.substr(commits.size(), size));
    }
    static const std::string pulls_of = "/pulls";
    if (reads && path.starts_with(commits) && path.ends_with(pulls_of)) {
        const auto size = path.size() - commits.size() - pulls_of.size();
        return list_with(path.substr(commits.size(), size));
    }
    if (reads && path.starts_with(all_pulls) && is_number(path.substr(all_pulls.size()))) {
        return tell(std::stoi(path.substr(all_pulls.size())));
    }
    return std::nullopt;
}

}  // namespace vigil::test
