#pragma once

#include <cstdint>
#include <vector>

#include "schema/model/ids.hpp"
#include "service/config/config.hpp"
#include "service/store/database.hpp"
#include "service/watch/night/judge.hpp"

// Many series of one worker that move in one night: machine or code? The worker measures the old
// build of a few of them again before anything else is measured (docs/confirmation.md, "When a
// machine moves").

namespace vigil::service {

/// Records the storms of a night just judged and asks for their check runs. @return how many
int find_storms(
    Database& db,
    const ProjectConfig& config,
    NightlyId nightly,
    const std::vector<SeriesMove>& moves,
    std::int64_t now_s);

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
