#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "schema/model/ids.hpp"
#include "service/store/database.hpp"
#include "service/tables/night.hpp"

namespace vigil::service {

/// Each way to run a suite in which the night held another backend against `eager`, by the rule
/// hud_v2 (docs/tables.md); empty where the suites have one backend alone.
/// @param project  the night's
std::vector<tables::NightRatio> night_ratios_of(
    Database& db, NightlyId nightly, const std::string& project);

/// They as REST shows them.
nlohmann::json ratios_json(const std::vector<tables::NightRatio>& ratios);

}  // namespace vigil::service
