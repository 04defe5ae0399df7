#pragma once

#include "service/cli/common/command.hpp"

// The table of commands: reading the command line, help and running it all go by it.

namespace vigil::cli {

const std::vector<CommandSpec>& commands();
/// Options that every command takes.
const std::vector<Option>& common_options();

}  // namespace vigil::cli
