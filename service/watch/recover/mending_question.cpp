#include "service/watch/recover/mending_question.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <vector>

#include "service/config/links.hpp"
#include "service/store/findings/bisections.hpp"
#include "service/store/findings/suspects.hpp"
#include "service/store/ids.hpp"
#include "service/store/reports/filed.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t most_suspects_left = 200;

using Subjects = std::map<Revision, std::string>;

Subjects load_subjects(Database& db, BisectionId bisection) {
    Subjects subjects;
    const auto line = list_suspects(db, bisection);
    for (std::size_t i = 1; i < line.size(); ++i) {
        subjects.emplace(line[i].revision, line[i].subject);
    }
    return subjects;
}

// What these commits are called in a revert: each by itself, or by the merges that brought it.
std::vector<history::RevertTarget> list_targets(
    Database& db, std::optional<BisectionId> bisection, const std::vector<Revision>& commits) {
    std::vector<history::RevertTarget> targets;
    for (const auto& commit : commits) targets.push_back({{commit}, {}});
    if (!bisection) return targets;
    const auto name = [&](history::RevertTarget& target, const Subjects& of) {
        const auto known = of.find(target.revisions.back());
        target.subjects.push_back(known == of.end() ? "" : known->second);
    };
    const auto own = load_subjects(db, *bisection);
    for (auto& target : targets) name(target, own);
    for (const auto& inside : list_way_in(db, *bisection)) {
        const auto outer = load_subjects(db, inside.outer);
        for (auto& target : targets) {
            target.revisions.push_back(inside.merge);
            name(target, outer);
        }
    }
    return targets;
}

/// What the culprit brought, where it is a merge that was searched inside.
void add_brought(
    Database& db,
    BisectionId bisection,
    const Revision& culprit,
    std::vector<history::RevertTarget>& targets) {
    std::vector<history::RevertTarget> brought;
    for (const auto inside : list_inside(db, bisection, culprit)) {
        const auto line = list_suspects(db, inside);
        for (std::size_t i = 1; i < line.size(); ++i) {
            brought.push_back({{line[i].revision}, {line[i].subject}});
        }
    }
    if (brought.size() > most_suspects_left) return;
    for (auto& one : brought) targets.push_back(std::move(one));
}

std::string lower_case(std::string_view text) {
    std::string out(text);
    for (char& c : out) c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
    return out;
}

/// What stands behind the scheme of an address; empty: it has none.
std::string behind_scheme(std::string_view url) {
    const auto at = url.find("://");
    return at == url.npos ? "" : lower_case(url.substr(at + 3));
}

std::vector<history::FiledIssue> list_issues(
    Database& db, RegressionId regression, const std::string& commit_url) {
    std::vector<history::FiledIssue> issues;
    for (const auto& address : list_filed_addresses(db, regression)) {
        if (auto issue = issue_of(address, commit_url)) issues.push_back(std::move(*issue));
    }
    return issues;
}

}  // namespace

std::optional<history::FiledIssue> issue_of(std::string_view ref, std::string_view commit_url) {
    static constexpr std::string_view issues = "/issues/";
    const auto url = behind_scheme(ref);
    const auto at = url.rfind(issues);
    if (at == url.npos || at == 0) return std::nullopt;
    history::FiledIssue issue;
    issue.place = url.substr(0, at);
    const char* end = url.data() + url.size();
    const auto read = std::from_chars(url.data() + at + issues.size(), end, issue.number);
    if (read.ec != std::errc{} || read.ptr != end || issue.number <= 0) return std::nullopt;
    issue.own = behind_scheme(commit_url).starts_with(issue.place + "/");
    return issue;
}

history::MendingQuestion mending_question(
    Database& db,
    const Config& config,
    const RegressionRow& regression,
    const history::ClaimedRange& range) {
    history::MendingQuestion asked;
    asked.commits = range.commits;
    asked.line_commits = range.line_commits;
    asked.rewritten = range.rewritten;
    const auto& bisection = regression.bisection;
    if (const auto& culprit = regression.culprit) {
        asked.targets = list_targets(db, bisection, {*culprit});
        if (bisection) add_brought(db, *bisection, *culprit, asked.targets);
    } else if (regression.left.size() <= most_suspects_left) {
        asked.targets = list_targets(db, bisection, regression.left);
    }
    const auto links = links_of(config, load_project_name(db, regression.project));
    asked.issues = list_issues(db, regression.id, links.templates.commit_url);
    return asked;
}

Mending mending_of(const history::MendingQuestion& asked, const history::MendingWord& word) {
    Mending told;
    told.by = word.by;
    told.others = static_cast<std::int64_t>(word.others);
    told.only = word.only;
    told.line_commits = asked.line_commits;
    told.rewritten = asked.rewritten;
    if (word.target) told.reverts = asked.targets[*word.target].revisions.front();
    told.of_suspects = word.target.value_or(0) > 0;
    if (!word.commit) return told;
    const auto& commit = asked.commits[*word.commit];
    told.revision = commit.revision;
    told.subject = commit.subject;
    told.author = commit.author;
    told.merge = commit.merge;
    const auto merge =
        std::find_if(asked.commits.begin(), asked.commits.end(), [&](const auto& one) {
            return one.revision == commit.merge;
        });
    if (merge != asked.commits.end()) told.merge_subject = merge->subject;
    return told;
}

}  // namespace vigil::service
