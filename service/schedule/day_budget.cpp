#include "service/schedule/day_budget.hpp"

#include <limits>

#include <fmt/format.h>

#include "schema/text/numbers.hpp"
#include "service/store/ids.hpp"
#include "service/store/work/machine_time.hpp"

namespace vigil::service {

namespace {

constexpr std::int64_t hour_s = 3600;
constexpr std::int64_t day_s = 24 * hour_s;

}  // namespace

bool may_begin(const DayBudget& budget, WorkLevel level) {
    const auto beyond_s = level == WorkLevel::urgent ? budget.limit_s / beyond_parts : 0;
    return budget.used_s < budget.limit_s + beyond_s;
}

std::string spent_words(const DayBudget& budget, std::int64_t now_s) {
    return fmt::format(
        "its machine hours of the day are spent ({:.1f} of {} h, max_machine_hours_a_day): it "
        "waits until {} UTC",
        static_cast<double>(budget.used_s) / static_cast<double>(hour_s),
        budget.limit_s / hour_s,
        text::utc((day_of(now_s) + 1) * day_s));
}

std::optional<DayBudget> load_day_budget(
    Database& db, const ProjectConfig& config, ProjectId project, std::int64_t now_s) {
    if (config.max_machine_hours_a_day == 0) return std::nullopt;
    return DayBudget{
        config.max_machine_hours_a_day * hour_s,
        load_day_seconds(db, project, day_of(now_s), now_s)};
}

SpentBudgets list_spent_budgets(Database& db, const Config& config, std::int64_t now_s) {
    SpentBudgets spent;
    for (const auto& [name, project] : config.projects) {
        if (project.max_machine_hours_a_day == 0) continue;
        const auto id = find_project(db, name);
        if (!id) continue;
        const auto budget = load_day_budget(db, project, *id, now_s);
        if (!may_begin(*budget, WorkLevel::nightly)) spent.emplace(*id, *budget);
    }
    return spent;
}

int highest_held_back(const DayBudget& budget) {
    const bool all = !may_begin(budget, WorkLevel::urgent);
    return all ? std::numeric_limits<int>::max() : static_cast<int>(Priority::nightly);
}

bool waits_for_tomorrow(const SpentBudgets& spent, ProjectId project, int priority) {
    const auto found = spent.find(project);
    return found != spent.end() && !may_begin(found->second, level_of(priority));
}

std::optional<std::string> find_budget_note(
    Database& db,
    const Config& config,
    const std::string& name,
    WorkLevel level,
    std::int64_t now_s) {
    const auto project = config.projects.find(name);
    const auto id = find_project(db, name);
    if (project == config.projects.end() || !id) return std::nullopt;
    const auto budget = load_day_budget(db, project->second, *id, now_s);
    if (!budget || may_begin(*budget, level)) return std::nullopt;
    return spent_words(*budget, now_s);
}

}  // namespace vigil::service
