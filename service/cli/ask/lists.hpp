#pragma once

#include "service/cli/ask/context.hpp"

// Lists of what the daemon has.

namespace vigil::cli {

ExitCode list_nights(const CommandContext& context);
ExitCode list_regressions(const CommandContext& context);
ExitCode list_suspicions(const CommandContext& context);
ExitCode list_drifts(const CommandContext& context);
ExitCode list_reports(const CommandContext& context);
ExitCode list_jobs(const CommandContext& context);
ExitCode list_workers(const CommandContext& context);
ExitCode list_allocations(const CommandContext& context);
ExitCode list_canaries(const CommandContext& context);
ExitCode list_tokens(const CommandContext& context);
ExitCode list_missed(const CommandContext& context);
ExitCode list_mutes(const CommandContext& context);
ExitCode list_audit(const CommandContext& context);
/// The measured nights of series as lines of JSON.
ExitCode export_history(const CommandContext& context);

}  // namespace vigil::cli
