#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// Each way to run a suite in which the night held another backend against `eager`, by the rule
/// hud_v2 (docs/tables.md); empty where the suites have one backend alone.
/// @param project  the night's
nlohmann::json night_ratios_of(Database& db, NightlyId nightly, const std::string& project);

}  // namespace vigil::service
