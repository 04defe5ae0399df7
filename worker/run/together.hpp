#pragma once

#include <filesystem>
#include <vector>

#include "worker/run/run.hpp"

namespace vigil::worker {

/// Where processes that run together find the folder by which they take turns.
inline constexpr const char* turns_path = "/vigil/turns";

/// How processes that run together come to meet the same moments of the machine.
enum class Sharing {
    turns,     ///< they measure in turns, which they know how to do
    processor  ///< the kernel switches between them on one processor; their CPU time is what counts
};

/// Runs the requests at once, each on a thread of its own. Those that take turns are told of their
/// group by VIGIL_TURNS (the folder), VIGIL_TURNS_MEMBER and VIGIL_TURNS_MEMBERS;
/// worker/bench/measure/turns.hpp says what they do with it. The folder is made here and shown
/// read-only.
/// Time limits are multiplied by the size of the group, since each waits for the others; wall
/// times of whole processes mean nothing.
/// @return reports in the order of the requests
/// @throws what Runner::run does, for the first request that could not be run
std::vector<RunReport> run_together(
    Runner& runner,
    std::vector<RunRequest> requests,
    Sharing sharing,
    const std::filesystem::path& folder);

}  // namespace vigil::worker
