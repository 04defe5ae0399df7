#pragma once

#include <nlohmann/json_fwd.hpp>

#include "service/store/database.hpp"
#include "service/watch/recover/level_today.hpp"

namespace vigil::service {

/// Adds to each series of a regression, as `lists::regressions` lists it, its `size` (null: it was
/// not measured again), and `today`, where it stands by now (null: it is as it was filed, or back).
void add_sizes(nlohmann::json& regression, Database& db);

/// `nightly`, `night`, `change_ratio`, `low`, `high`, `runs_before`, `runs_after`; null: nothing.
nlohmann::json again_json(const std::optional<LevelToday>& again);

/// By how much a series got worse: the ratio of its size, else of the night; may be null.
const nlohmann::json& ratio_of(const nlohmann::json& series);

/// Of sessions as `load_chart_sessions` lists them: `size` is of the session and of the search of
/// its only regression, null where nothing was measured. It stands for what the search verified.
nlohmann::json with_sizes(nlohmann::json sessions);

}  // namespace vigil::service
