#include "service/watch/recover/mending_question.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include <nlohmann/json.hpp>

#include "schema/wire/json.hpp"
#include "service/config/links.hpp"
#include "service/store/findings/bisections.hpp"
#include "service/store/ids.hpp"

namespace vigil::service {

namespace {

constexpr std::size_t most_suspects_left = 200;

std::string subject_of(Database& db, BisectionId bisection, const Revision& revision) {
    return db
        .find<std::string>(
            "SELECT subject FROM suspect WHERE bisection_id = ?1 AND revision = ?2 "
            "AND position > 0",
            bisection,
            revision)
        .value_or("");
}

history::RevertTarget target_of(
    Database& db, std::optional<BisectionId> bisection, const Revision& revision) {
    history::RevertTarget target;
    target.revisions.push_back(revision);
    if (!bisection) return target;
    target.subjects.push_back(subject_of(db, *bisection, revision));
    for (auto at = bisection; at;) {
        const auto inside = find_inside(db, *at);
        if (inside) {
            target.revisions.push_back(inside->merge);
            target.subjects.push_back(subject_of(db, inside->outer, inside->merge));
        }
        at = inside ? std::optional(inside->outer) : std::nullopt;
    }
    return target;
}

/// What the culprit brought, where it is a merge that was searched inside.
void add_brought(
    Database& db,
    BisectionId bisection,
    const Revision& culprit,
    std::vector<history::RevertTarget>& targets) {
    std::vector<history::RevertTarget> brought;
    auto rows = db.query(
        "SELECT s.revision, s.subject FROM bisection b JOIN suspect s ON s.bisection_id = b.id "
        "AND s.position > 0 WHERE b.outer_id = ?1 AND b.merge = ?2",
        bisection,
        culprit);
    while (rows.next()) brought.push_back({{rows.get<Revision>(0)}, {rows.get<std::string>(1)}});
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
    auto rows = db.query(
        "SELECT DISTINCT o.external_ref FROM report r JOIN outbox o ON o.report_id = r.id "
        "WHERE r.regression_id = ?1 AND o.external_ref LIKE 'http%'",
        regression);
    while (rows.next()) {
        if (auto issue = issue_of(rows.get<std::string>(0), commit_url)) {
            issues.push_back(std::move(*issue));
        }
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
    RegressionId regression,
    const history::ClaimedRange& range) {
    history::MendingQuestion asked;
    asked.commits = range.commits;
    asked.line_commits = range.line_commits;
    asked.rewritten = range.rewritten;
    std::string project;
    std::string left;
    std::optional<Revision> culprit;
    std::optional<BisectionId> bisection;
    {
        auto row = db.query(
            "SELECT p.name, r.culprit, r.bisection_id, r.suspects FROM regression r "
            "JOIN project p ON p.id = r.project_id WHERE r.id = ?1",
            regression);
        VIGIL_ASSERT(row.next());
        project = row.get<std::string>(0);
        culprit = row.get<std::optional<Revision>>(1);
        bisection = row.get<std::optional<BisectionId>>(2);
        left = row.get<std::string>(3);
    }
    if (culprit) {
        asked.targets.push_back(target_of(db, bisection, *culprit));
        if (bisection) add_brought(db, *bisection, *culprit, asked.targets);
    } else {
        const auto suspects = wire::parse_json(left, "regression.suspects");
        for (const auto& suspect : suspects) {
            if (suspects.size() > most_suspects_left) break;
            asked.targets.push_back(target_of(db, bisection, Revision(suspect.get<std::string>())));
        }
    }
    asked.issues = list_issues(db, regression, links_of(config, project).templates.commit_url);
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
