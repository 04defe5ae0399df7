#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "service/config/config.hpp"
#include "service/schedule/claim_order.hpp"
#include "service/store/database.hpp"

// A project's budget of machine hours a day (docs/decisions.md, 0040).

namespace vigil::service {

/// What a project may use of machines on one UTC day, and has used.
struct DayBudget {
    std::int64_t limit_s = 0;  ///< > 0
    std::int64_t used_s = 0;   ///< attempts that were claimed on this day, up to now
};

/// Urgent work may go beyond the budget by one part in so many.
inline constexpr std::int64_t beyond_parts = 4;

/// Whether work of this level may begin: all of it within the budget; what was flagged is confirmed
/// and searched for up to a quarter beyond it. What runs is not interrupted, so that a day may have
/// more.
bool may_begin(const DayBudget& budget, WorkLevel level);

/// "its machine hours of the day are spent (4.2 of 4 h, max_machine_hours_a_day): it waits until
/// 2026-11-30 00:00 UTC"
std::string spent_words(const DayBudget& budget, std::int64_t now_s);

/// The budget of a project that has one.
std::optional<DayBudget> load_day_budget(
    Database& db, const ProjectConfig& config, ProjectId project, std::int64_t now_s);

/// The budgets of the config's projects that are spent: some work of theirs may not begin.
using SpentBudgets = std::map<ProjectId, DayBudget>;
SpentBudgets list_spent_budgets(Database& db, const Config& config, std::int64_t now_s);

/// The highest priority whose jobs wait for the next day, where some do.
int highest_held_back(const DayBudget& budget);

/// Whether a job of this priority waits for the next day.
bool waits_for_tomorrow(const SpentBudgets& spent, ProjectId project, int priority);

/// What somebody is told who asks for work of a project now; nothing: it may begin today.
std::optional<std::string> find_budget_note(
    Database& db,
    const Config& config,
    const std::string& project,
    WorkLevel level,
    std::int64_t now_s);

}  // namespace vigil::service
