#pragma once

#include <string>
#include <string_view>

#include "service/cli/history/history.hpp"

namespace vigil::cli {

/// Reads a CSV with a header, or JSON lines: one row, or one whole series, a line (`vigil detect
/// --help`). Rows of one night of one series become their median.
/// @param name  of the file, for messages
/// @throws Error{invalid_argument} with line and column
HistoryFile read_history(std::string_view text, const std::string& name);

/// What `vigil detect --help` says about the columns.
extern const char* const history_help;

}  // namespace vigil::cli
