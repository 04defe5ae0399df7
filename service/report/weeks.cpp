#include "service/report/weeks.hpp"

#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <date/date.h>

#include "service/config/cron.hpp"
#include "service/report/facts/marker.hpp"
#include "service/report/render/render_week.hpp"
#include "service/store/ids.hpp"

namespace vigil::service {

namespace {

constexpr std::int64_t week_s = 7 * 86'400;
constexpr std::int64_t missed_s = 3600;
constexpr int most_decisions = 100;  // of a kind

/// 20261123.
std::int64_t day_number(std::int64_t now_s) {
    const date::sys_seconds time{std::chrono::seconds(now_s)};
    const date::year_month_day day{date::floor<date::days>(time)};
    return std::int64_t{int(day.year())} * 10'000 + unsigned(day.month()) * 100 +
           unsigned(day.day());
}

/// What became better, with the commits that came between.
std::vector<ImprovementFact> improvements_of(
    Database& db, ProjectId project, std::int64_t since_s, std::int64_t until_s) {
    constexpr int most_improvements = 1000;
    constexpr int most_authors = 100;
    std::vector<ImprovementFact> facts;
    std::map<std::pair<std::int64_t, std::int64_t>, CommitsBetween> known;
    for (auto& one : list_weeks_improvements(db, project, since_s, until_s, most_improvements)) {
        const auto [at, is_new] = known.try_emplace({one.before.value, one.night.value});
        if (is_new) {
            at->second = load_commits_between(db, project, one.before, one.night, most_authors);
        }
        facts.push_back({std::move(one), at->second});
    }
    return facts;
}

}  // namespace

bool is_week_due(
    const WeeklyConfig& weekly, std::optional<std::int64_t> last_s, std::int64_t now_s) {
    const auto cron = Cron::parse(weekly.cron, weekly.time_zone);
    return cron.next_after(last_s ? std::min(*last_s, now_s) : now_s - missed_s) <= now_s;
}

WeekFacts load_week_facts(
    Database& db, const Config& config, const std::string& project, std::int64_t until_s) {
    WeekFacts facts;
    facts.links = links_of(config, project);
    facts.project = project;
    facts.since_s = until_s - week_s;
    facts.until_s = until_s;
    const auto watched = config.projects.find(project);
    if (watched != config.projects.end()) facts.answer_due_s = watched->second.answer_due_s;
    const auto id = find_project(db, project);
    PrecisionScope scope;
    scope.project = id.value_or(ProjectId{0});
    scope.since_s = facts.since_s;
    scope.until_s = facts.until_s;
    facts.precision = load_precision(db, scope);
    if (!id) return facts;
    facts.regressions = list_weeks_regressions(db, *id, facts.since_s, until_s);
    facts.improvements = improvements_of(db, *id, facts.since_s, until_s);
    facts.mutes = list_ending_mutes(db, *id, until_s + week_s, most_decisions);
    facts.troubles = list_troubles(db);
    std::erase_if(facts.troubles, [&](const Trouble& one) { return one.project != *id; });
    facts.machine_s = load_machine_time(db, *id, facts.since_s, until_s);
    return facts;
}

int report_weeks(Database& db, const Config& config, std::int64_t now_s) {
    int written = 0;
    for (const auto& [name, project] : config.projects) {
        std::vector<std::string> due;
        std::optional<ProjectId> id;
        for (const auto& target : project.reports) {
            const auto found = config.report_targets.find(target);
            if (found == config.report_targets.end() || !found->second.weekly) continue;
            if (!id) id = find_project(db, name);
            if (!id) break;
            const auto last_s = find_last_week_s(db, *id, target);
            if (is_week_due(*found->second.weekly, last_s, now_s)) due.push_back(target);
        }
        if (due.empty()) continue;
        ReportSubject subject;
        subject.project = *id;
        subject.part = day_number(now_s);
        auto facts = load_week_facts(db, config, name, now_s);
        facts.marker = load_marker(db, subject).line;
        add_report(db, subject, render_week(facts), due, now_s);
        ++written;
    }
    return written;
}

}  // namespace vigil::service
