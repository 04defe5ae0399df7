#pragma once

#include "service/cli/ask/context.hpp"

// What a person does by hand with what the daemon has.

namespace vigil::cli {

ExitCode acknowledge_regression(const CommandContext& context);
ExitCode accept_regression(const CommandContext& context);
ExitCode refute_regression(const CommandContext& context);
ExitCode reopen_regression(const CommandContext& context);
ExitCode withdraw_night(const CommandContext& context);
ExitCode restore_night(const CommandContext& context);
ExitCode cancel_job(const CommandContext& context);
ExitCode release_worker(const CommandContext& context);
ExitCode retry_report(const CommandContext& context);
ExitCode add_token(const CommandContext& context);
ExitCode revoke_token(const CommandContext& context);

}  // namespace vigil::cli
