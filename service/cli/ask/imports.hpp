#pragma once

#include <vector>

#include "service/cli/ask/context.hpp"

namespace vigil::cli {

/// What was sent from elsewhere, and how it is taken back.
std::vector<CommandSpec> import_commands();

}  // namespace vigil::cli
