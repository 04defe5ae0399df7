#pragma once

#include "service/cli/ask/context.hpp"

namespace vigil::cli {

/// Tells events as they happen, until the night is done where --until-done asks for that.
ExitCode watch_events(const CommandContext& context);

/// What is wrong at a daemon or about to be, and what to do.
CommandSpec doctor_command();

}  // namespace vigil::cli
