#pragma once

#include "service/cli/ask/context.hpp"

namespace vigil::cli {

/// Tonight: what runs, what waits, what is open.
ExitCode show_status(const CommandContext& context);

}  // namespace vigil::cli
