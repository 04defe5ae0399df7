#pragma once

#include "worker/run/profile/profiled_run.hpp"

namespace vigil::worker {

/// Runs the command under callgrind.
///
/// Its first pass counts between the marks of the benchmark alone
/// (CALLGRIND_START_INSTRUMENTATION and CALLGRIND_STOP_INSTRUMENTATION of valgrind's
/// <valgrind/callgrind.h>, or lines, see marks.hpp), which makes all else several times faster.
/// Where it has no marks, a second pass counts all.
/// @throws as run_for_profile
ProfiledRun run_for_instructions(Runner& runner, const RunRequest& request);

/// Runs the command under dhat. It is not cut: the peak of a part of it means nothing.
/// @throws as run_for_profile
ProfiledRun run_for_memory(Runner& runner, const RunRequest& request);

}  // namespace vigil::worker
