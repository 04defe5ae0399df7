#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "service/config/config.hpp"
#include "service/report/render/render_week.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// Whether the time of a week's summary has come since it was last written. A pure function.
/// @param last_s  UTC; nullopt: never, then only what came within the last hour counts
bool is_week_due(
    const WeeklyConfig& weekly, std::optional<std::int64_t> last_s, std::int64_t now_s);

/// The seven days before a time. A project that has no row yet has had none of it.
WeekFacts load_week_facts(
    Database& db, const Config& config, const std::string& project, std::int64_t until_s);

/// Writes the summaries of the week that are due, in the caller's transaction. @return  how many
int report_weeks(Database& db, const Config& config, std::int64_t now_s);

}  // namespace vigil::service
