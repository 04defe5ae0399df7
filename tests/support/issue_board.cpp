#include "tests/support/issue_board.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace vigil::test {

namespace {

using nlohmann::json;

constexpr const char* list_path = "/repos/owner/name/issues";

int query_number(const std::string& target, const std::string& name, int fallback) {
    for (const char* mark : {"?", "&"}) {
        const auto at = target.find(mark + name + "=");
        if (at != target.npos) return std::stoi(target.substr(at + name.size() + 2));
    }
    return fallback;
}

json issue_json(const BoardIssue& issue) {
    json value = {
        {"number", issue.number},
        {"title", issue.title},
        {"body", issue.body},
        {"state", issue.state},
        {"html_url", "https://tracker.example/owner/name/issues/" + std::to_string(issue.number)}};
    if (issue.pull_request) value["pull_request"] = json::object();
    return value;
}

CannedReply reply(int status, const json& value) {
    CannedReply out;
    out.status = status;
    out.body = value.dump();
    return out;
}

}  // namespace

IssueBoard::IssueBoard()
    : server_([this](const CannedRequest& request) { return handle(request); }) {}

std::vector<BoardIssue> IssueBoard::issues() {
    const std::lock_guard lock(mutex_);
    return issues_;
}

std::vector<CannedRequest> IssueBoard::requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
}

void IssueBoard::add(BoardIssue issue) {
    const std::lock_guard lock(mutex_);
    issue.number = static_cast<int>(issues_.size()) + 1;
    issues_.push_back(std::move(issue));
}

void IssueBoard::plan(BoardFault fault) {
    const std::lock_guard lock(mutex_);
    faults_.push_back(std::move(fault));
}

CannedReply IssueBoard::handle(const CannedRequest& request) {
    const std::lock_guard lock(mutex_);
    requests_.push_back(request);
    const auto fault = std::find_if(faults_.begin(), faults_.end(), [&](const BoardFault& f) {
        return f.method == request.method;
    });
    if (fault == faults_.end()) return act(request);
    const BoardFault planned = *fault;
    faults_.erase(fault);
    if (!planned.before) act(request);
    return planned.reply;
}

CannedReply IssueBoard::act(const CannedRequest& request) {
    const std::string path = request.target.substr(0, request.target.find('?'));
    if (request.headers.count("user-agent") == 0 ||
        request.headers.count("x-github-api-version") == 0) {
        return reply(403, {{"message", "the request needs a user-agent and an API version"}});
    }
    if (request.headers.count("authorization") == 0) return reply(401, {{"message", "who?"}});
    if (request.method == "POST" && path == list_path) {
        const json body = json::parse(request.body);
        if (!body.contains("title")) return reply(422, {{"message", "title is missing"}});
        BoardIssue issue;
        issue.number = static_cast<int>(issues_.size()) + 1;
        issue.title = body.at("title");
        issue.body = body.value("body", "");
        issues_.push_back(issue);
        return reply(201, issue_json(issue));
    }
    if (request.method == "GET" && path == list_path) {
        const int size = query_number(request.target, "per_page", 30);
        const int page = query_number(request.target, "page", 1);
        json list = json::array();
        const int count = static_cast<int>(issues_.size());
        for (int i = (page - 1) * size; i < std::min(page * size, count); ++i) {
            list.push_back(issue_json(issues_[static_cast<std::size_t>(count - 1 - i)]));
        }
        return reply(200, list);
    }
    if (request.method == "PATCH" && path.starts_with(std::string(list_path) + "/")) {
        const auto number = std::stoul(path.substr(std::string(list_path).size() + 1));
        if (number == 0 || number > issues_.size()) return reply(404, {{"message", "Not Found"}});
        BoardIssue& issue = issues_[number - 1];
        const json body = json::parse(request.body);
        issue.title = body.value("title", issue.title);
        issue.body = body.value("body", issue.body);
        issue.state = body.value("state", issue.state);
        return reply(200, issue_json(issue));
    }
    return reply(404, {{"message", "Not Found"}});
}

}  // namespace vigil::test
