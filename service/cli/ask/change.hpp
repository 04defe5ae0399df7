#pragma once

#include "service/cli/ask/context.hpp"

// What a person does by hand with what the daemon has.

namespace vigil::cli {

/// Acknowledges, accepts, refutes or reopens it, as the command's name says.
ExitCode move_regression(const CommandContext& context);
/// Withdraws or restores it, as the command's name says.
ExitCode change_night(const CommandContext& context);
ExitCode cancel_job(const CommandContext& context);
ExitCode change_worker(const CommandContext& context);
ExitCode assign_regression(const CommandContext& context);
ExitCode mute_thing(const CommandContext& context);
/// Tells of a regression that was not found, or takes that back.
ExitCode tell_missed(const CommandContext& context);
ExitCode end_mute(const CommandContext& context);
ExitCode retry_job(const CommandContext& context);
ExitCode retry_report(const CommandContext& context);
/// One message of the outbox, or one comment or check run, as the command's name says.
ExitCode retry_message(const CommandContext& context);
ExitCode add_token(const CommandContext& context);
ExitCode revoke_token(const CommandContext& context);

}  // namespace vigil::cli
