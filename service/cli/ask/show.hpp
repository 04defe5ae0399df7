#pragma once

#include "service/cli/ask/context.hpp"

// One thing of the daemon, with all that is known of it.

namespace vigil::cli {

ExitCode show_regression(const CommandContext& context);
ExitCode show_report(const CommandContext& context);
ExitCode show_logs(const CommandContext& context);
/// How well the service itself did.
ExitCode show_precision(const CommandContext& context);
ExitCode show_week(const CommandContext& context);
ExitCode show_hours(const CommandContext& context);

}  // namespace vigil::cli
