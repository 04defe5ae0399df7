#pragma once

#include <cstdint>
#include <vector>

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

}  // namespace vigil::service
