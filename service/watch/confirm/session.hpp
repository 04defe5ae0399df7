#pragma once

#include <cstdint>
#include <vector>

#include "bisect/detect/series_loop.hpp"
#include "service/config/config.hpp"
#include "service/watch/series/suspicions.hpp"

// The rows of an A/B session: its blocks are jobs, and several suspicions may stand on one.

namespace vigil::service {

/// The session of a night for the benchmark variant and machine class of this suspicion's series,
/// against the same old builds; opened when there is none.
SessionId ensure_session(Database& db, SuspicionId suspicion, std::int64_t now_s);

struct SessionState {
    int jobs = 0;
    int open_jobs = 0;
    int empty_jobs = 0;    ///< ended without a passed run of each side
    std::size_t runs = 0;  ///< asked for by the ended jobs that were not empty
};

SessionState load_state(Database& db, SessionId session);

/// The values of one series in the jobs that have ended and were not empty, in the order they ran.
std::vector<detect::SessionRun> load_runs(Database& db, SessionId session, SeriesId series);

/// Asks for the session's next runs, as one job.
void add_runs(
    Database& db,
    const ProjectConfig& config,
    SessionId session,
    const std::vector<detect::WantedRun>& wanted,
    std::int64_t now_s);

}  // namespace vigil::service
