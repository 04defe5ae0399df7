#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "schema/profile/profile.hpp"
#include "schema/profile/profiler.hpp"
#include "worker/run/run.hpp"

// A run whose instructions valgrind's callgrind counts, program by program, in all its processes.

namespace vigil::worker {

/// Where valgrind lies, as processes of the sandbox see it too; empty: it is not installed.
/// @param root  "/"; tests have another
std::filesystem::path find_valgrind(const std::filesystem::path& root = "/");

/// Why a run cannot be counted by callgrind here; empty: it can.
std::string why_no_callgrind();

inline constexpr std::size_t max_counted_processes = 10'000;  ///< of one run

/// Runs the command under callgrind, with all that it starts, and puts the sum of what callgrind
/// says of its processes into `counted`: all of them, or nothing and a fact that says why. What
/// valgrind says of a run that a signal ended goes before its standard error. Valgrind writes into
/// a folder of the scratch folder, where the command may write too: what is read there is a
/// stranger's.
/// @throws what runner.run() throws, Error{unavailable} where valgrind is missing
RunReport run_by_callgrind(Runner& runner, const RunRequest& request);

inline constexpr std::size_t max_profile_bytes = std::size_t{64} << 20;  ///< of one run

/// A benchmark that finds this variable is profiled, and may do less: so many seconds are there.
inline constexpr const char* profile_seconds_variable = "VIGIL_PROFILE_S";

/// A run, and the profiler's files of its processes.
struct ProfiledRun {
    RunReport report;
    std::vector<std::string> texts;  ///< of each process that was not killed; a stranger's
    std::string why_none;            ///< why there is no text; empty: there is one at least
    Profiler profiler = Profiler::callgrind;
    bool is_marked = false;  ///< only what the benchmark marks is in it
    int cut_after_s = 0;     ///< it was ended then; 0: it ended by itself
};

/// Runs the command under callgrind or dhat, with all that it starts, and reads what the profiler
/// wrote, at most max_profile_bytes. All of it takes the request's wall time at most.
/// vigil-bench is asked for its operators, and runs as it is.
///
/// Callgrind's first pass counts between the marks of the benchmark alone
/// (CALLGRIND_START_INSTRUMENTATION and CALLGRIND_STOP_INSTRUMENTATION of valgrind's
/// <valgrind/callgrind.h>, or lines, see marks.hpp), which makes all else several times faster.
/// Where it has no marks, a second pass counts all.
/// @throws as run_by_callgrind
ProfiledRun run_for_profile(
    Runner& runner, const RunRequest& request, Profiler profiler = Profiler::callgrind);

/// What the profiler's files say, read in a guarded process.
/// @param own, source  as profile::read_callgrind has them
/// @throws Error{unavailable} where there is none, with the reason; Error{invalid_argument} where
///         they cannot be read
profile::Profile read_profile(
    const ProfiledRun& run, const std::string& own, const std::string& source = {});

/// What helps where the program failed under callgrind, as an end of its message; may be empty.
std::string what_helps(const ProfiledRun& run);

}  // namespace vigil::worker
