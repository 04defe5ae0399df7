#pragma once

#include "service/cli/ask/context.hpp"

// Lists of what was recorded: events, searches, what came from outside and what goes there.

namespace vigil::cli {

ExitCode list_projects(const CommandContext& context);
ExitCode list_series(const CommandContext& context);
/// The nights of one series.
ExitCode show_series(const CommandContext& context);
/// Nights that are rolled up, and how much is gone of each.
ExitCode list_retention(const CommandContext& context);
ExitCode list_dropped(const CommandContext& context);
ExitCode list_events(const CommandContext& context);
ExitCode list_bisections(const CommandContext& context);
ExitCode list_triggers(const CommandContext& context);
ExitCode list_deliveries(const CommandContext& context);
ExitCode list_outbox(const CommandContext& context);
ExitCode list_notices(const CommandContext& context);
ExitCode list_pulls(const CommandContext& context);

}  // namespace vigil::cli
