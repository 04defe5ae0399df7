#pragma once

#include <filesystem>
#include <string>

#include "worker/run/profile/profiled_run.hpp"

namespace vigil::worker {

/// Where perf lies, as processes of the sandbox see it too; empty: it is not installed.
/// @param root  "/"; tests have another
std::filesystem::path find_perf(const std::filesystem::path& root = "/");

/// Why no run can be sampled here, with what helps; empty: it can.
std::string why_no_perf();

/// The same by what is known. Pure.
/// @param has_perf   perf is installed
/// @param paranoid   /proc/sys/kernel/perf_event_paranoid; empty: not shown
std::string why_no_perf(bool has_perf, const std::string& paranoid);

/// Runs the command under `perf record`: where the processor is, 999 times a second of processor
/// time in user mode, by cycles where the machine counts them and by the clock where not, with
/// callers by frame pointers. A run that is short is made several times, for ten seconds.
/// perf reads what it wrote inside of the run's sandbox and limits.
/// @throws as run_for_profile
ProfiledRun run_for_samples(Runner& runner, const RunRequest& request);

}  // namespace vigil::worker
