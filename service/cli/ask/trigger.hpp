#pragma once

#include "service/cli/ask/context.hpp"

namespace vigil::cli {

/// Asks for a nightly; with --wait until its night has ended.
ExitCode trigger_night(const CommandContext& context);

}  // namespace vigil::cli
