#pragma once

#include <cstdint>

#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"

// What becomes of a storm whose old builds have been measured again.

namespace vigil::service {

/// Whether a night's change is no more than that its machine moved.
/// @param moved  of the machine, log
bool is_explained(double change_ratio, double moved, double threshold);

/// Judges the storms whose check has been measured. Where the machine moved, the night's suspicions
/// that say no more than that end, and the worker's times start new baselines.
/// @return whether a check still waits for its runs
bool check_storms(
    Database& db,
    const ProjectConfig& config,
    const JobConfig& jobs,
    NightlyId nightly,
    std::int64_t now_s);

}  // namespace vigil::service
