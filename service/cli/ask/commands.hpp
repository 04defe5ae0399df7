#pragma once

#include "service/cli/common/command.hpp"

// The part of the table of commands that asks a daemon.

namespace vigil::cli {

/// What a daemon watches, what it judged and measured, and telling it what to do.
std::vector<CommandSpec> daemon_commands();

}  // namespace vigil::cli
