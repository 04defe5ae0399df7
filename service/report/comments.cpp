#include "service/report/comments.hpp"

#include <string>
#include <vector>

#include "service/report/render/render_comment.hpp"
#include "service/store/reports/outbox.hpp"

namespace vigil::service {

namespace {

/// The project's trackers that the regression's report went to, or goes to.
std::vector<std::string> trackers_of(
    Database& db, const Config& config, const RegressionFacts& facts) {
    std::vector<std::string> targets;
    const auto project = config.projects.find(facts.project);
    if (project == config.projects.end()) return targets;
    for (const auto& name : project->second.reports) {
        const auto target = config.report_targets.find(name);
        if (target == config.report_targets.end()) continue;
        if (target->second.kind != TargetKind::issues) continue;
        if (find_issue_place(db, name, facts.id)) targets.push_back(name);
    }
    return targets;
}

/// What a command in the thread decided is answered there.
bool is_answered(News news, const RegressionFacts& facts) {
    return (news == News::accepted || news == News::reopened) && facts.answer &&
           facts.answer->by.starts_with("github:");
}

}  // namespace

void comment_on(
    Database& db,
    const Config& config,
    const RegressionFacts& facts,
    News news,
    std::int64_t now_s) {
    if (is_answered(news, facts)) return;
    auto comment = render_comment(news, facts);
    if (comment.body.empty()) return;
    const auto targets = trackers_of(db, config, facts);
    if (targets.empty()) return;
    ReportSubject subject;
    subject.project = facts.project_id;
    subject.comment_on = facts.id;
    subject.part = 1;
    if (const auto newest = find_newest_comment(db, facts.id)) {
        subject.part = newest->part + (newest->untouched ? 0 : 1);
        if (newest->untouched) comment.body = newest->body + "\n\n" + comment.body;
    }
    add_report(db, subject, comment, targets, now_s);
}

}  // namespace vigil::service
