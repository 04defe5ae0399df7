#pragma once

#include <vector>

#include "service/cli/common/command.hpp"

namespace vigil::cli {

/// The commands that ask a daemon to measure something for a person: `ask run`, `ask compare`,
/// `ask bisect`, and what became of it.
std::vector<CommandSpec> measure_commands();

}  // namespace vigil::cli
