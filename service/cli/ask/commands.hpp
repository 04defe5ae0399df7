#pragma once

#include "service/cli/common/command.hpp"

// The part of the table of commands that asks a daemon.

namespace vigil::cli {

/// Status, results, measurements, records, requests and decisions of a daemon.
std::vector<CommandSpec> daemon_commands();

}  // namespace vigil::cli
