#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace vigil::cli {

/// The command that a report gives under "Reproduce", as it would be pasted into a shell.
/// @param body  the report's Markdown
/// @return      nothing when it gives none
std::optional<std::string> reproduction_of(std::string_view body);

}  // namespace vigil::cli
