#pragma once

#include <filesystem>
#include <string>

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

/// @throws Error{unavailable} where valgrind is missing
void check_valgrind();

/// A command as callgrind runs it, with all that it starts, and with nothing that files or
/// variables of the run could change.
/// @param log, out  callgrind's files; %p is the process
/// @param more      further options
Command counted_command(
    const Command& command,
    const std::string& log,
    const std::string& out,
    const Command& more = {});

}  // namespace vigil::worker
