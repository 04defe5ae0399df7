#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "schema/profile/profile.hpp"
#include "worker/run/run.hpp"

// A run that is profiled: for costs by function, and no samples of what it takes.

namespace vigil::worker {

inline constexpr std::size_t max_profile_bytes = std::size_t{64} << 20;  ///< of one run

/// A benchmark that finds this variable is profiled, and may do less: so many seconds are there.
inline constexpr const char* profile_seconds_variable = "VIGIL_PROFILE_S";

/// A run, and the profiler's files of its processes.
struct ProfiledRun {
    RunReport report;
    std::vector<std::string> texts;  ///< of each process that was not killed; a stranger's
    std::string why_none;            ///< why there is no text; empty: there is one at least
    Profiler profiler = Profiler::callgrind;
    bool is_marked = false;       ///< only what the benchmark marks is in it
    int cut_after_s = 0;          ///< it was ended then; 0: it ended by itself
    std::int64_t iterations = 0;  ///< how often it was run; 0: once
};

/// Why nothing can be profiled so here, with what helps; empty: it can, or shows when it runs.
std::string why_no_profiler(Profiler profiler);

/// Runs the command under a profiler, with all that it starts, and reads what that wrote, at most
/// max_profile_bytes; see valgrind.hpp and perf.hpp. All of it takes the request's wall time at
/// most, by perf that for each recording. vigil-bench is asked for its operators, and runs as it
/// is.
/// @throws what runner.run() throws, Error{unavailable} where the profiler is missing
ProfiledRun run_for_profile(
    Runner& runner, const RunRequest& request, Profiler profiler = Profiler::callgrind);

/// What the profiler's files say, read in a guarded process.
/// @param own, source  as profile::read_callgrind has them
/// @throws Error{unavailable} where there is none, with the reason; Error{invalid_argument} where
///         they cannot be read
profile::Profile read_profile(
    const ProfiledRun& run, const std::string& own, const std::string& source = {});

/// What helps where the program failed under valgrind, as an end of its message; may be empty.
std::string what_helps(const ProfiledRun& run);

}  // namespace vigil::worker
