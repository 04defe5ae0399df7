#include "service/api/hook_event.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "bisect/history/claims.hpp"
#include "schema/text/characters.hpp"
#include "schema/text/escape.hpp"
#include "schema/text/times.hpp"
#include "schema/wire/json.hpp"
#include "service/report/deliver/command_words.hpp"

namespace vigil::service {

namespace {

using nlohmann::json;

constexpr std::size_t max_shown_bytes = 100;
constexpr std::size_t max_address_bytes = 500;
constexpr std::size_t max_repository_bytes = 200;  // GitHub's are shorter

/// The members that are read, of any event.
const std::set<std::string> members_read{
    "/action",
    "/comment/author_association",
    "/comment/body",
    "/comment/id",
    "/comment/user/login",
    "/deleted",
    "/issue/html_url",
    "/issue/number",
    "/issue/pull_request/url",
    "/label/name",
    "/pull_request/base/sha",
    "/pull_request/body",
    "/pull_request/head/repo/full_name",
    "/pull_request/head/sha",
    "/pull_request/html_url",
    "/pull_request/labels",
    "/pull_request/number",
    "/pull_request/state",
    "/pull_request/title",
    "/pull_request/updated_at",
    "/ref",
    "/release/draft",
    "/release/tag_name",
    "/repository/default_branch",
    "/repository/full_name",
    "/repository/id",
    "/workflow_run/conclusion",
    "/workflow_run/head_branch",
    "/workflow_run/head_repository/full_name",
    "/workflow_run/name"};

/// A payload's texts; what is missing or of another type is "".
class Payload {
  public:
    explicit Payload(std::string_view text)
        : value_(wire::parse_json_parts(text, "the payload", members_read)) {}

    std::string text(const char* pointer) const {
        const auto* found = find(pointer);
        return found && found->is_string() ? found->get<std::string>() : "";
    }
    std::int64_t number(const char* pointer) const {
        const auto* found = find(pointer);
        return found && found->is_number_integer() ? found->get<std::int64_t>() : 0;
    }
    /// The texts of this member of each element of a list.
    std::vector<std::string> texts(const char* pointer, const char* member) const {
        std::vector<std::string> all;
        const auto* found = find(pointer);
        if (!found || !found->is_array()) return all;
        for (const auto& one : *found) {
            const auto named = one.is_object() ? one.find(member) : one.end();
            if (one.is_object() && named != one.end() && named->is_string()) {
                all.push_back(named->get<std::string>());
            }
        }
        return all;
    }
    bool is_true(const char* pointer) const {
        const auto* found = find(pointer);
        return found && *found == json(true);
    }

  private:
    const json* find(const char* pointer) const {
        const json::json_pointer place(pointer);
        return value_.contains(place) ? &value_.at(place) : nullptr;
    }
    json value_;
};

HookWish nothing(std::string why) {
    return {std::nullopt, std::move(why)};
}

/// Repositories do not differ by case.
bool same_repository(const std::string& a, const std::string& b) {
    return text::lower_case(a) == text::lower_case(b);
}

HookWish unwatched(const std::string& repository) {
    return nothing(
        "no project of the config watches the repository " +
        text::harmless(repository, max_shown_bytes) +
        "; if that is its new name, put it into webhook.projects and into repository of its "
        "report target");
}

/// The branch whose news are the project's.
std::string watched_branch(const ProjectConfig& project, const Payload& payload) {
    if (project.source.kind == SourceKind::git) return project.source.branch;
    const auto named = payload.text("/repository/default_branch");
    return named.empty() ? project.source.branch : named;
}

HookWish read_push(const Payload& payload, const ProjectConfig& project) {
    const auto branch = watched_branch(project, payload);
    if (payload.text("/ref") != "refs/heads/" + branch) {
        return nothing("not the watched branch " + branch);
    }
    if (payload.is_true("/deleted")) return nothing("the branch was deleted");
    return {project.name, "push to " + branch};
}

HookWish read_workflow_run(const Payload& payload, const ProjectConfig& project) {
    if (payload.text("/action") != "completed") return nothing("the workflow has not ended yet");
    if (payload.text("/workflow_run/conclusion") != "success") {
        return nothing("the workflow did not succeed");
    }
    const auto from = payload.text("/workflow_run/head_repository/full_name");
    if (!same_repository(from, payload.text("/repository/full_name"))) {
        return nothing("the workflow ran for a fork");
    }
    const auto branch = watched_branch(project, payload);
    if (payload.text("/workflow_run/head_branch") != branch) {
        return nothing("not the watched branch " + branch);
    }
    const auto name = text::harmless(payload.text("/workflow_run/name"), max_shown_bytes);
    return {project.name, "the workflow " + name + " succeeded on " + branch};
}

HookWish read_release(const Payload& payload, const ProjectConfig& project) {
    if (payload.text("/action") != "published") return nothing("no release was published");
    if (payload.is_true("/release/draft")) return nothing("the release is a draft");
    const auto tag = text::harmless(payload.text("/release/tag_name"), max_shown_bytes);
    return {project.name, "the release " + tag + " was published"};
}

/// What the config may call the repository of an event: its name, and those that it had before,
/// the newest first.
using Names = std::vector<std::string>;

bool is_one_of(const std::string& name, const Names& names) {
    return std::any_of(
        names.begin(), names.end(), [&](const auto& one) { return same_repository(one, name); });
}

Names names_of(const Payload& payload, const HookedRepositories& known) {
    Names names{payload.text("/repository/full_name")};
    const auto before = known.find(payload.number("/repository/id"));
    if (before == known.end()) return names;
    names.insert(names.end(), before->second.rbegin(), before->second.rend());
    return names;
}

/// The target of the project's that files its issues in the repository.
const ReportTarget* target_in(
    const Config& config, const ProjectConfig& project, const Names& names) {
    for (const auto& name : project.reports) {
        const auto found = config.report_targets.find(name);
        const bool files = found != config.report_targets.end() &&
                           found->second.kind == TargetKind::issues &&
                           is_one_of(found->second.repository, names);
        if (files) return &found->second;
    }
    return nullptr;
}

HookWish read_issue_comment(
    const Payload& payload,
    const ProjectConfig& project,
    const Config& config,
    const Names& names) {
    if (payload.text("/action") != "created") return nothing("no comment was added");
    const auto words = find_command(payload.text("/comment/body"));
    if (!words) return nothing("its first line is no command");
    const auto* target = target_in(config, project, names);
    if (target == nullptr) return nothing("no report of the project is filed in this repository");
    const auto association = payload.text("/comment/author_association");
    HookWish wish;
    wish.command = NewCommand{
        target->name,
        payload.number("/issue/number"),
        payload.text("/issue/html_url"),
        payload.number("/comment/id"),
        payload.text("/comment/user/login"),
        *words,
        !payload.text("/issue/pull_request/url").empty(),
        association == "OWNER" || association == "MEMBER" || association == "COLLABORATOR"};
    const auto& asked = *wish.command;
    const bool whole = asked.issue > 0 && asked.comment > 0 && !asked.issue_url.empty() &&
                       !asked.login.empty() && asked.login.size() <= max_shown_bytes;
    if (!whole) return nothing("it does not say who commented on what");
    wish.message = std::string("a command in the thread of ") +
                   (asked.is_pull ? "pull request " : "issue ") + std::to_string(asked.issue);
    return wish;
}

/// Addresses of the issues of its own repository that a pull request says it fixes.
std::vector<std::string> list_fixed_issues(const Payload& payload) {
    const auto address = payload.text("/pull_request/html_url");
    const auto at = address.rfind("/pull/");
    if (at == address.npos || address.size() > max_address_bytes) return {};
    const auto own = text::lower_case(payload.text("/repository/full_name"));
    const auto words =
        payload.text("/pull_request/title") + "\n\n" + payload.text("/pull_request/body");
    std::vector<std::string> issues;
    for (const auto& one : history::read_claims(words).fixes) {
        const bool is_own = one.place.empty() || one.place == own || one.place.ends_with("/" + own);
        if (is_own)
            issues.push_back(address.substr(0, at) + "/issues/" + std::to_string(one.number));
    }
    return issues;
}

/// What an event says of the label; nullopt: nothing.
/// @param fixes  it says that it fixes an issue
std::optional<PullNews> news_of(const Payload& payload, const std::string& label, bool fixes) {
    const auto is_label = [&](const std::string& name) {  // names do not differ by case
        return text::lower_case(name) == text::lower_case(label);
    };
    if (payload.text("/pull_request/state") != "open") return PullNews::closed;
    const auto labels = payload.texts("/pull_request/labels", "name");
    if (std::any_of(labels.begin(), labels.end(), is_label)) return PullNews::labelled;
    const auto action = payload.text("/action");
    if (action == "unlabeled" && is_label(payload.text("/label/name"))) {
        return PullNews::unlabelled;
    }
    if (fixes) return PullNews::fixing;
    return action == "synchronize" ? std::optional(PullNews::moved) : std::nullopt;
}

/// nullopt: it does not say which commits.
std::optional<PullFacts> pull_facts(const Payload& payload, PullNews news) {
    const auto at_s = text::parse_time(payload.text("/pull_request/updated_at"));
    PullFacts facts;
    facts.number = payload.number("/pull_request/number");
    if (!at_s || facts.number <= 0) return std::nullopt;
    try {
        facts.head = Revision(payload.text("/pull_request/head/sha"));
        facts.base = Revision(payload.text("/pull_request/base/sha"));
    } catch (const Error&) {
        return std::nullopt;
    }
    facts.is_fork = !same_repository(
        payload.text("/pull_request/head/repo/full_name"),  // none: it was deleted
        payload.text("/repository/full_name"));
    facts.is_open = news != PullNews::closed;
    facts.at_s = *at_s;
    return facts;
}

HookWish read_pull_request(
    const Payload& payload,
    const ProjectConfig& project,
    const Config& config,
    const Names& names) {
    const auto& label = project.pull_label;
    if (label.empty()) return nothing("the project's pull_label is empty");
    if (const auto why = why_no_revisions(project)) return nothing(*why);
    const auto* target = target_in(config, project, names);
    if (target == nullptr) return nothing("no report of the project is filed in this repository");
    auto fixes = list_fixed_issues(payload);
    const auto news = news_of(payload, label, !fixes.empty());
    if (!news) {
        return nothing(
            "the pull request has not the label " + label +
            ", and does not say that it fixes an "
            "issue");
    }
    auto facts = pull_facts(payload, *news);
    if (!facts) return nothing("it does not say which commits the pull request has, and when");
    facts->fixes = std::move(fixes);
    HookWish wish;
    wish.pull = PullWish{project.name, target->name, *facts, *news};
    wish.message = "news of pull request " + std::to_string(facts->number);
    return wish;
}

/// The entry of `webhook.projects` with the newest of the names; nullptr: there is none.
const std::pair<const std::string, std::string>* find_hooked(
    const WebhookConfig& webhook, const Names& names) {
    for (const auto& name : names) {
        for (const auto& hooked : webhook.projects) {
            if (same_repository(hooked.first, name)) return &hooked;
        }
    }
    return nullptr;
}

using Reader = HookWish (*)(const Payload&, const ProjectConfig&, const Config&, const Names&);

template <HookWish (*read)(const Payload&, const ProjectConfig&)>
HookWish read_looking(
    const Payload& payload, const ProjectConfig& project, const Config&, const Names&) {
    return read(payload, project);
}

Reader reader_of(std::string_view event) {
    if (event == "push") return read_looking<read_push>;
    if (event == "workflow_run") return read_looking<read_workflow_run>;
    if (event == "release") return read_looking<read_release>;
    if (event == "issue_comment") return read_issue_comment;
    if (event == "pull_request") return read_pull_request;
    return nullptr;
}

}  // namespace

HookWish read_hook_event(
    std::string_view event,
    std::string_view payload_text,
    const Config& config,
    const HookedRepositories& known) {
    const auto reader = reader_of(event);
    if (!reader) return nothing("events of this kind ask nothing");
    try {
        const Payload payload(payload_text);
        const auto names = names_of(payload, known);
        const auto* watched = find_hooked(*config.webhook, names);
        if (watched == nullptr) return unwatched(names.front());
        const auto project = config.projects.find(watched->second);
        if (project == config.projects.end()) {
            return nothing("the config has no project " + watched->second);
        }
        auto wish = reader(payload, project->second, config, names);
        wish.project = wish.project ? std::optional(project->first) : std::nullopt;
        const auto id = payload.number("/repository/id");
        const bool is_named =
            !names.front().empty() && names.front().size() <= max_repository_bytes;
        if (id > 0 && is_named) wish.repository = HookedRepository{id, names.front()};
        if (!same_repository(watched->first, names.front())) {
            wish.message += "; the repository is called " +
                            text::harmless(names.front(), max_shown_bytes) +
                            " now: put that into webhook.projects";
        }
        return wish;
    } catch (const Error& error) {
        const std::string why = error.what();
        return nothing(why + "; set the hook's content type to application/json");
    }
}

}  // namespace vigil::service
