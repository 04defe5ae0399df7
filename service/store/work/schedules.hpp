#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "service/store/database.hpp"

// Table `schedule`: up to when each project's schedule was kept.

namespace vigil::service {

struct ScheduleRow {
    std::string text;  ///< cron and time zone, to notice when it changes
    std::int64_t checked_at_s = 0;
    std::int64_t since_s = 0;  ///< from when on it is kept
};

std::optional<ScheduleRow> find_schedule(Database& db, ProjectId project);

/// Adds a project's schedule, or replaces it.
void put_schedule(Database& db, ProjectId project, const ScheduleRow& schedule);

/// The projects that have one, with their names.
std::vector<std::pair<ProjectId, std::string>> list_scheduled(Database& db);

void remove_schedule(Database& db, ProjectId project);

}  // namespace vigil::service
