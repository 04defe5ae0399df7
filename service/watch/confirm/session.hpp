#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bisect/detect/series_answer.hpp"
#include "service/config/config.hpp"
#include "service/store/series/sessions.hpp"
#include "service/store/work/jobs.hpp"

// What the jobs of an A/B session say so far, and its next one.

namespace vigil::service {

inline constexpr std::size_t block_runs = 4;

struct SessionState {
    int open_jobs = 0;
    int empty_jobs = 0;    ///< ended without a passed run of each side
    std::size_t runs = 0;  ///< asked for by the ended jobs that were not empty
};
SessionState state_of(std::span<const SessionJob> jobs);

/// The values of one series as its loop judges them: without those of empty jobs, in blocks.
/// @param jobs    the session's
/// @param values  in the order they ran
std::vector<detect::SessionRun> runs_in_blocks(
    std::span<const SessionJob> jobs, std::span<const SessionValue> values);

/// Does it still not run, where the old build does? One block tells. @return nothing where it did
/// not run to its end
std::optional<Verdict> verdict_of(const OutcomeCounts& counts);

/// Asks for the session's next runs, as one job.
void add_runs(
    Database& db,
    const ProjectConfig& config,
    const SessionRow& session,
    const std::vector<detect::WantedRun>& wanted,
    Priority priority,
    std::int64_t now_s);

}  // namespace vigil::service
