#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "service/cli/ask/context.hpp"

namespace vigil::cli {

/// Asks for earlier nights; with --wait until they are history.
ExitCode ask_backfill(const CommandContext& context);

/// With --json one object, else its steps as a table.
ExitCode show_backfill(const CommandContext& context);

ExitCode list_backfills(const CommandContext& context);

ExitCode cancel_backfill(const CommandContext& context);

/// "12 of 30 nights measured, 1 could not be, about 3 h 20 min left"
std::string backfill_words(const nlohmann::json& backfill);

bool has_backfill_ended(const nlohmann::json& backfill);

}  // namespace vigil::cli
