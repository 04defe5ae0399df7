#pragma once

#include <string>
#include <vector>

#include "service/cli/options.hpp"
#include "service/cli/run.hpp"
#include "service/local/request.hpp"

// Comparing and searching without a server: what may be asked, and doing it.

namespace vigil::cli {

/// The part of the table of commands that needs no server.
std::vector<CommandSpec> local_commands();

/// What the options of `compare` and `bisect run` say.
/// @param environment  for the state folder: XDG_STATE_HOME, HOME
/// @throws Error{invalid_argument} naming the option
local::LocalRequest request_of(
    const Invocation& invocation, const std::map<std::string, std::string>& environment);

/// "runs=200,builds=20,minutes=90" in any order and choice.
/// @throws Error{invalid_argument}
local::Spending parse_budget(const std::string& text);

/// Tried before anything is built, for a search takes hours: the options of `compare`, `bisect run`
/// and `bisect replay`.
/// @throws Error{invalid_argument}
void check_search(const Invocation& invocation, const Surroundings& world);
/// Whether --report names a file that can be written, of a kind that is known.
void check_report(const Invocation& invocation, const Surroundings& world);

ExitCode compare_commits(const Invocation& invocation, const Surroundings& world);
ExitCode bisect_commits(const Invocation& invocation, const Surroundings& world);
ExitCode replay_log(const Invocation& invocation, const Surroundings& world);
ExitCode explain_log(const Invocation& invocation, const Surroundings& world);

}  // namespace vigil::cli
