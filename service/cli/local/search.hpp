#pragma once

#include "service/cli/common/command.hpp"

// Comparing and searching without a server.

namespace vigil::cli {

/// The part of the table of commands that builds and measures on this machine.
std::vector<CommandSpec> local_commands();

/// Tried before anything is built, for a search takes hours: the options of `compare` and `bisect
/// run`.
/// @throws Error{invalid_argument}
void check_search(const Invocation& invocation, const Surroundings& world);

}  // namespace vigil::cli
