#pragma once

#include <vector>

#include "service/cli/common/command.hpp"

namespace vigil::cli {

/// The commands that list what a daemon recorded.
std::vector<CommandSpec> record_commands();

}  // namespace vigil::cli
