#include "service/report/weeks.hpp"

#include <chrono>
#include <string>
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

/// 20261123.
std::int64_t day_number(std::int64_t now_s) {
    const date::sys_seconds time{std::chrono::seconds(now_s)};
    const date::year_month_day day{date::floor<date::days>(time)};
    return std::int64_t{int(day.year())} * 10'000 + unsigned(day.month()) * 100 +
           unsigned(day.day());
}

void report_week(
    Database& db,
    const Config& config,
    ProjectId project,
    const ProjectConfig& watched,
    const std::vector<std::string>& targets,
    std::int64_t now_s) {
    ReportSubject subject;
    subject.project = project;
    subject.part = day_number(now_s);
    WeekFacts facts;
    facts.links = links_of(config, watched.name);
    facts.marker = load_marker(db, subject).line;
    facts.project = watched.name;
    facts.since_s = now_s - week_s;
    facts.until_s = now_s;
    facts.answer_due_s = watched.answer_due_s;
    facts.regressions = list_weeks_regressions(db, project, facts.since_s);
    PrecisionScope scope;
    scope.project = project;
    scope.since_s = facts.since_s;
    scope.until_s = facts.until_s;
    facts.precision = load_precision(db, scope);
    add_report(db, subject, render_week(facts), targets, now_s);
}

}  // namespace

bool is_week_due(
    const WeeklyConfig& weekly, std::optional<std::int64_t> last_s, std::int64_t now_s) {
    const auto cron = Cron::parse(weekly.cron, weekly.time_zone);
    return cron.next_after(last_s ? std::min(*last_s, now_s) : now_s - missed_s) <= now_s;
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
        report_week(db, config, *id, project, due, now_s);
        ++written;
    }
    return written;
}

}  // namespace vigil::service
