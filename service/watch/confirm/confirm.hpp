#pragma once

#include <cstdint>

#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"

namespace vigil::service {

/// Moves every open suspicion of a nightly one step on: opens A/B sessions (suspicions of one
/// benchmark variant, machine class and pair of builds share one), the most valuable first while
/// the night has runs for them, asks for the next block when the last one has ended, and ends
/// suspicions with a verdict; what the night has no runs for goes on with the next one.
/// @return  whether some suspicion is still open
bool confirm_nightly(
    Database& db, const ProjectConfig& config, NightlyId nightly, std::int64_t now_s);

}  // namespace vigil::service
