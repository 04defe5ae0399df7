#include "tests/support/issue_board.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace vigil::test {

namespace {

using nlohmann::json;

constexpr const char* list_path = "/repos/owner/name/issues";
constexpr const char* moved_path = "/repositories/7";
constexpr std::int64_t second_ms = 1000;

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
        {"user", {{"login", issue.author}}},
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

BoardFault fault(CannedReply reply, bool before) {
    BoardFault out;
    out.reply = std::move(reply);
    out.before = before;
    return out;
}

CannedReply broken(Fault kind) {
    CannedReply out;
    out.fault = kind;
    return out;
}

CannedReply asks(int status, const char* seconds) {
    CannedReply out = reply(status, {{"message", "planned"}});
    if (*seconds != '\0') out.headers["retry-after"] = seconds;
    return out;
}

/// One of the ways in which trackers fail.
BoardFault any_fault(unsigned which) {
    const std::vector<BoardFault> all{
        fault(broken(Fault::hang_up), false),
        fault(broken(Fault::hang_up), true),
        fault(reply(502, {{"message", "planned"}}), true),
        fault(reply(502, {{"message", "planned"}}), false),
        fault(asks(403, "30"), true),
        fault(asks(403, ""), true),
        fault(asks(429, "7"), true),
        fault(asks(429, ""), true),
        fault(reply(422, {{"message", "planned"}}), true),
        fault(reply(201, "cut"), false)};
    return all[which % all.size()];
}

}  // namespace

IssueBoard::IssueBoard(std::function<std::int64_t()> now_ms)
    : now_ms_(std::move(now_ms)),
      server_([this](const CannedRequest& request) { return handle(request); }) {}

std::vector<BoardIssue> IssueBoard::issues() {
    const std::lock_guard lock(mutex_);
    std::vector<BoardIssue> all;
    for (const auto& versions : issues_) all.push_back(versions.back().issue);
    return all;
}

void IssueBoard::permit(const std::string& login, const std::string& permission) {
    const std::lock_guard lock(mutex_);
    permissions_[login] = permission;
}

std::vector<BoardComment> IssueBoard::comments() {
    const std::lock_guard lock(mutex_);
    return comments_;
}

void IssueBoard::add_pull(BoardPull pull) {
    const std::lock_guard lock(mutex_);
    pulls_.pulls[pull.number] = std::move(pull);
}

std::vector<BoardCheck> IssueBoard::checks() {
    const std::lock_guard lock(mutex_);
    return pulls_.checks;
}

void IssueBoard::refuse_checks() {
    const std::lock_guard lock(mutex_);
    pulls_.takes_checks = false;
}

void IssueBoard::remove_comment(int index) {
    const std::lock_guard lock(mutex_);
    comments_.at(std::size_t(index)).issue = 0;
}

std::vector<CannedRequest> IssueBoard::requests() {
    const std::lock_guard lock(mutex_);
    return requests_;
}

void IssueBoard::say(BoardComment comment) {
    const std::lock_guard lock(mutex_);
    comments_.push_back(std::move(comment));
}

std::vector<std::int64_t> IssueBoard::writes_ms() {
    const std::lock_guard lock(mutex_);
    return writes_ms_;
}

int IssueBoard::untimely() {
    const std::lock_guard lock(mutex_);
    return untimely_;
}

void IssueBoard::forget_wait() {
    const std::lock_guard lock(mutex_);
    quiet_until_ms_ = 0;
}

int IssueBoard::faults() {
    const std::lock_guard lock(mutex_);
    return made_;
}

void IssueBoard::add(BoardIssue issue) {
    const std::lock_guard lock(mutex_);
    issue.number = static_cast<int>(issues_.size()) + 1;
    issues_.push_back({{acting_ms(), std::move(issue)}});
}

void IssueBoard::plan(BoardFault fault) {
    const std::lock_guard lock(mutex_);
    faults_.push_back(std::move(fault));
}

void IssueBoard::behave(const BoardHabits& habits) {
    const std::lock_guard lock(mutex_);
    habits_ = habits;
    random_.seed(habits.seed);
}

void IssueBoard::move(std::string from, std::string to, int status) {
    const std::lock_guard lock(mutex_);
    moved_from_ = std::move(from);
    moved_to_ = std::move(to);
    moved_status_ = status;
}

void IssueBoard::no_accounts() {
    const std::lock_guard lock(mutex_);
    tells_accounts_ = false;
}

std::optional<BoardFault> IssueBoard::next_fault(const CannedRequest& request) {
    const auto planned = std::find_if(faults_.begin(), faults_.end(), [&](const BoardFault& f) {
        return f.method == request.method && request.target.ends_with(f.target_end);
    });
    if (planned != faults_.end()) {
        BoardFault next = *planned;
        faults_.erase(planned);
        return next;
    }
    const double drawn = double(random_() % 10'000) / 10'000;
    if (drawn >= habits_.fault_share) return std::nullopt;
    ++made_;
    BoardFault next = any_fault(static_cast<unsigned>(random_()));
    if (habits_.late && !next.before && random_() % 2 == 0) next.act_after_s = 120;
    return next;
}

void IssueBoard::act_late() {
    std::vector<Late> waiting;
    waiting.swap(late_);
    for (auto& one : waiting) {
        if (one.at_ms > acting_ms()) {
            late_.push_back(std::move(one));
        } else {
            acting_ms_ = one.at_ms;
            act(one.request);
            acting_ms_.reset();
        }
    }
}

CannedReply IssueBoard::handle(const CannedRequest& request) {
    const std::lock_guard lock(mutex_);
    const std::int64_t now_ms = acting_ms();
    requests_.push_back(request);
    if (request.method != "GET") writes_ms_.push_back(now_ms);
    if (now_ms < quiet_until_ms_) ++untimely_;
    act_late();
    if (const auto there = redirect(request.target)) return *there;
    const auto fault = next_fault(request);
    if (!fault) return act(request);
    if (fault->act_after_s > 0) {
        late_.push_back({now_ms + fault->act_after_s * second_ms, request});
    } else if (!fault->before) {
        act(request);
    }
    const auto wait = fault->reply.headers.find("retry-after");
    if (wait != fault->reply.headers.end()) {
        quiet_until_ms_ = now_ms + std::stoi(wait->second) * second_ms;
    } else if (
        habits_.fault_share > 0 && (fault->reply.status == 403 || fault->reply.status == 429)) {
        quiet_until_ms_ = now_ms + 59 * second_ms;  // we count whole seconds
    }
    return fault->reply;
}

std::optional<CannedReply> IssueBoard::redirect(const std::string& target) const {
    if (moved_from_.empty() || !target.starts_with(moved_from_)) return std::nullopt;
    CannedReply out = reply(moved_status_, {{"message", "Moved"}});
    out.headers["location"] = moved_to_ + target.substr(moved_from_.size());
    return out;
}

CannedReply IssueBoard::create(const CannedRequest& request) {
    const json body = json::parse(request.body);
    if (!body.contains("title")) return reply(422, {{"message", "title is missing"}});
    BoardIssue issue;
    issue.number = static_cast<int>(issues_.size()) + 1;
    issue.title = body.at("title");
    issue.body = body.value("body", "");
    issues_.push_back({{acting_ms(), issue}});
    return reply(201, issue_json(issue));
}

CannedReply IssueBoard::list(const CannedRequest& request) {
    const std::int64_t as_of_ms = acting_ms() - habits_.list_lag_s * second_ms;
    std::vector<const BoardIssue*> all;
    for (const auto& versions : issues_) {
        const BoardIssue* seen = nullptr;
        for (const auto& version : versions) {
            if (version.at_ms <= as_of_ms) seen = &version.issue;
        }
        if (seen != nullptr) all.push_back(seen);
    }
    if (request.target.find("direction=asc") == std::string::npos) {
        std::reverse(all.begin(), all.end());
    }
    const auto size = static_cast<std::size_t>(query_number(request.target, "per_page", 30));
    const auto from = size * static_cast<std::size_t>(query_number(request.target, "page", 1) - 1);
    json page = json::array();
    for (std::size_t i = from; i < std::min(from + size, all.size()); ++i) {
        page.push_back(issue_json(*all[i]));
    }
    return reply(200, page);
}

CannedReply IssueBoard::change(const CannedRequest& request, const std::string& number) {
    const auto at = std::stoul(number);
    if (at == 0 || at > issues_.size()) return reply(404, {{"message", "Not Found"}});
    BoardIssue issue = issues_[at - 1].back().issue;
    const json body = json::parse(request.body);
    issue.title = body.value("title", issue.title);
    issue.body = body.value("body", issue.body);
    issue.state = body.value("state", issue.state);
    issues_[at - 1].push_back({acting_ms(), issue});
    return reply(200, issue_json(issue));
}

bool IssueBoard::has_thread(int number) const {
    return (number >= 1 && std::size_t(number) <= issues_.size()) || pulls_.pulls.contains(number);
}

CannedReply IssueBoard::say_anew(const CannedRequest& request, std::size_t id) {
    if (id >= comments_.size() || comments_[id].issue == 0) {
        return reply(404, {{"message", "Not Found"}});
    }
    if (request.method == "DELETE") {
        comments_[id].issue = 0;
        CannedReply gone;
        gone.status = 204;
        return gone;
    }
    comments_[id].body = json::parse(request.body).at("body");
    return reply(200, {{"id", id}});
}

CannedReply IssueBoard::talk(const CannedRequest& request, int issue) {
    if (!has_thread(issue)) return reply(404, {{"message", "?"}});
    const auto shown = [&](std::size_t i) {
        return json{
            {"id", i},
            {"body", comments_[i].body},
            {"user", {{"login", comments_[i].author}, {"id", comments_[i].author.size()}}},
            {"html_url", "https://tracker.example/owner/name/issues/#c" + std::to_string(i)}};
    };
    if (request.method == "POST") {
        comments_.push_back({issue, json::parse(request.body).at("body")});
        return reply(201, shown(comments_.size() - 1));
    }
    const auto size = static_cast<std::size_t>(query_number(request.target, "per_page", 30));
    const auto from = size * static_cast<std::size_t>(query_number(request.target, "page", 1) - 1);
    json page = json::array();
    std::size_t seen = 0;
    for (std::size_t i = 0; i < comments_.size(); ++i) {
        if (comments_[i].issue != issue || seen++ < from || page.size() == size) continue;
        page.push_back(shown(i));
    }
    return reply(200, page);
}

CannedReply IssueBoard::act(const CannedRequest& request) {
    std::string path = request.target.substr(0, request.target.find('?'));
    if (path.starts_with(moved_path)) {
        path = "/repos/owner/name" + path.substr(std::string(moved_path).size());
    }
    if (request.headers.count("user-agent") == 0 ||
        request.headers.count("x-github-api-version") == 0) {
        return reply(403, {{"message", "the request needs a user-agent and an API version"}});
    }
    if (request.headers.count("authorization") == 0) return reply(401, {{"message", "who?"}});
    if (request.method == "GET" && path == "/user") {
        if (tells_accounts_) return reply(200, {{"login", board_account}});
        return reply(403, {{"message", "Resource not accessible by integration"}});
    }
    static const std::string people = "/repos/owner/name/collaborators/";
    static const std::string asked = "/permission";
    if (path.starts_with(people) && path.ends_with(asked)) {
        const auto login = path.substr(people.size(), path.size() - people.size() - asked.size());
        const auto known = permissions_.find(login);
        return reply(200, {{"permission", known == permissions_.end() ? "read" : known->second}});
    }
    static const std::string repository = "/repos/owner/name";
    if (path.starts_with(repository)) {
        if (const auto told = pulls_.act(request, path.substr(repository.size()))) return *told;
    }
    static const std::string one_comment = std::string(list_path) + "/comments/";
    const bool changes = request.method == "PATCH" || request.method == "DELETE";
    if (changes && path.starts_with(one_comment)) {
        return say_anew(request, std::stoul(path.substr(one_comment.size())));
    }
    static const std::string comments = "/comments";
    if (path.starts_with(list_path) && path.ends_with(comments)) {
        return talk(request, std::stoi(path.substr(std::string(list_path).size() + 1)));
    }
    if (request.method == "POST" && path == list_path) return create(request);
    if (request.method == "GET" && path == list_path) return list(request);
    if (request.method == "PATCH" && path.starts_with(std::string(list_path) + "/")) {
        return change(request, path.substr(std::string(list_path).size() + 1));
    }
    return reply(404, {{"message", "Not Found"}});
}

}  // namespace vigil::test
