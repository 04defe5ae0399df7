#pragma once

#include "service/cli/ask/context.hpp"

namespace vigil::cli {

/// Builds what a regression's report compares, and measures both by its command.
ExitCode reproduce(const CommandContext& context);

}  // namespace vigil::cli
