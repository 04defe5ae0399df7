#pragma once

#include "service/cli/common/command.hpp"

// The part of the table of commands by which other programs talk to this one.

namespace vigil::cli {

std::vector<CommandSpec> talk_commands();

}  // namespace vigil::cli
