#include "service/report/targets.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "schema/model/regression_words.hpp"
#include "service/report/facts/recurrence.hpp"
#include "service/report/render/render_trouble.hpp"
#include "service/store/reports/outbox.hpp"
#include "service/store/troubles.hpp"

namespace vigil::service {

namespace {

const ReportTarget* find_target(const Config& config, const std::string& name) {
    const auto found = config.report_targets.find(name);
    return found == config.report_targets.end() ? nullptr : &found->second;
}

bool is_tracker(const Config& config, const std::string& name) {
    const auto* target = find_target(config, name);
    return target != nullptr && target->kind == TargetKind::issues;
}

/// Whether what went there before is edited, and not sent anew.
bool is_edited(TargetKind kind) {
    return kind == TargetKind::folder || kind == TargetKind::issues;
}

/// Notes a night of many causes. @return  whether it is one
bool is_of_many(Database& db, const DueReport& due, std::int64_t now_s) {
    const auto night = load_causes(db, *due.subject.regression);
    const auto subject = "nightly/" + to_string(night.nightly);
    if (was_noted(db, many_causes, subject)) return true;
    if (night.causes <= max_causes) return false;
    Trouble trouble;
    trouble.kind = many_causes;
    trouble.subject = subject;
    trouble.project = due.subject.project;
    trouble.message = fmt::format(
        "one night found more than {} regressions; they are told together, here, and each has its "
        "page",
        max_causes);
    note_trouble(db, trouble, now_s);
    return true;
}

}  // namespace

std::vector<std::string> targets_of(
    const Config& config, const DueReport& due, bool for_regressions) {
    std::vector<std::string> targets;
    const auto found = config.projects.find(due.project_name);
    if (found == config.projects.end()) return targets;
    for (const auto& name : found->second.reports) {
        const auto* target = find_target(config, name);
        if (target == nullptr) continue;
        const bool wanted = due.subject.nightly   ? takes_night_summaries(*target) || target->checks
                            : due.subject.trouble ? target->troubles || for_regressions
                                                  : true;
        if (wanted) targets.push_back(name);
    }
    return targets;
}

bool wants(const ReportTarget& target, const ToldFact& told, News news) {
    if (!target.regressions) return false;
    const auto& states = target.states;
    // Nobody was told of what was not reproduced: it goes where it is asked for by its own word.
    const bool unheard = told.ended_as == RegressionEnd::not_reproduced;
    const auto own = to_string(RegressionEnd::not_reproduced);
    const bool asked =
        unheard ? std::find(states.begin(), states.end(), own) != states.end()
                : states.empty() || !told.state || is_asked_for(states, *told.state, told.ended_as);
    if (!asked) return false;
    const bool small = told.change_ratio && *told.change_ratio < target.min_change_ratio;
    if (small && !told.broken) return false;
    const bool is_call = target.kind == TargetKind::slack || target.kind == TargetKind::mail;
    return !is_call || news != News::nothing;
}

std::vector<std::string> targets_of_regression(
    Database& db,
    const Config& config,
    const DueReport& due,
    const ToldFact& told,
    News news,
    std::int64_t now_s) {
    auto targets = targets_of(config, due);
    const bool of_many = is_of_many(db, due, now_s);
    const auto regression = *due.subject.regression;
    std::erase_if(targets, [&](const std::string& name) {
        const auto& target = config.report_targets.at(name);
        const bool was_there = find_issue_place(db, name, regression).has_value();
        if (!was_there || !is_edited(target.kind)) {
            if (!wants(target, told, news)) return true;
        }
        if (of_many && !was_there && calls_people(target.kind)) return true;
        return is_tracker(config, name) && is_taken(db, name, regression);
    });
    return targets;
}

bool take_earlier_issue(
    Database& db,
    const Config& config,
    const RegressionFacts& facts,
    ReportId report,
    const std::vector<std::string>& targets) {
    bool taken = false;
    for (const auto& name : targets) {
        if (!is_tracker(config, name)) continue;
        const auto issue =
            find_closed_issue(db, name, facts.id, facts.created_at_s - opens_again_s);
        if (!issue) continue;
        const auto earlier =
            std::find_if(facts.earlier.begin(), facts.earlier.end(), [&](const EarlierFact& one) {
                return one.regression == issue->regression;
            });
        if (earlier == facts.earlier.end() || !is_recurrence(facts, *earlier)) continue;
        take_issue(db, report, name, issue->external_ref);
        taken = true;
    }
    return taken;
}

void end_nights_of_many(Database& db, std::int64_t now_s) {
    for (const auto& trouble : list_troubles(db, many_causes)) {
        const auto nightly = night_of_trouble(trouble.subject);
        if (nightly && load_causes_of(db, *nightly).open > 0) continue;
        end_trouble(db, trouble.kind, trouble.subject, now_s);
    }
}

}  // namespace vigil::service
