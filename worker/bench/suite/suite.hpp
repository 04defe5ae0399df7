#pragma once

namespace vigil_bench {

/// `--suite FILE`: runs models x ways, each in a process of its own, and appends a line of each to
/// the file. Progress goes to standard error.
/// @return  the exit code: 0 when every run passed, is unsupported or skipped
/// @throws UsageError before anything is run
int run_suite(int count, const char* const* values);

/// `--compare-backends A,B`: the same model and way by several backends, which measure in turns.
/// Prints a line for each; from the second on `info.compared` says how much faster it is than the
/// first.
/// @return  the exit code of the first that did not pass
int compare_backends(int count, const char* const* values);

/// Whether the command line asks for it.
bool asks_for_backends(int count, const char* const* values);

}  // namespace vigil_bench
