#pragma once

#include <cstdint>
#include <vector>

#include "bisect/detect/session.hpp"
#include "service/config/config.hpp"
#include "service/watch/values.hpp"

// The rows of an A/B session: its blocks are jobs, and several suspicions may stand on one.

namespace vigil::service {

/// The session of a night for this series' benchmark variant and machine class, of these nights'
/// builds; opened when there is none.
SessionId ensure_session(
    Database& db, SeriesId series, NightlyId good, NightlyId nightly, std::int64_t now_s);

struct SessionState {
    int jobs = 0;
    int open_jobs = 0;
    int empty_jobs = 0;  ///< ended without a passed run of each side
};

SessionState load_state(Database& db, SessionId session);

/// The values of one series in the blocks that have ended, in the order they ran.
std::vector<detect::SessionRun> load_runs(Database& db, SessionId session, SeriesId series);

/// Asks for the session's next block.
/// @param block  how many it has
void add_block(
    Database& db, const ProjectConfig& config, SessionId session, int block, std::int64_t now_s);

}  // namespace vigil::service
