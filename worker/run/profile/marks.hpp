#pragma once

#include <filesystem>
#include <string>

#include "worker/run/run.hpp"

// How a benchmark in any language tells a profiler which part of it is measured.

namespace vigil::worker {

/// The path of a FIFO that takes the lines "start" and "stop", in place of marks of the program's
/// own. The file beside it whose name ends with ".followed" has the number of those that were
/// followed, for who wants to wait.
inline constexpr const char* profile_fifo_variable = "VIGIL_PROFILE_FIFO";

/// What valgrind's and vgdb's --vgdb-prefix take.
/// @param folder  for marks alone, as the run sees it
std::string vgdb_prefix(const std::filesystem::path& folder);

/// Puts a listener beside the command, inside of the run's sandbox and limits: it turns counting on
/// and off in each process that valgrind runs, and reads 1,000 lines at most.
/// @param vgdb  the program
void listen_to_marks(
    const std::filesystem::path& vgdb, const std::filesystem::path& folder, RunRequest& request);

}  // namespace vigil::worker
