#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "service/cli/ask/context.hpp"

namespace vigil::cli {

/// The command that a report gives under "Reproduce", as it would be pasted into a shell.
/// @param body  the report's Markdown
/// @return      nothing when it gives none
std::optional<std::string> reproduction_of(std::string_view body);

/// Builds what a regression's report compares, and measures both by its command.
ExitCode reproduce(const CommandContext& context);

}  // namespace vigil::cli
