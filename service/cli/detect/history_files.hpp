#pragma once

#include <string>
#include <vector>

#include "service/cli/common/command.hpp"
#include "service/cli/history/history.hpp"

// Shared by `vigil detect FILE` and `vigil-lab backtest FILE`.

namespace vigil::cli {

/// What the arguments say: files, and of one night to be explained SERIES NIGHT after them.
struct NamedNight {
    std::vector<std::string> files;
    std::string series;
    std::string night;  ///< empty: none
};

NamedNight named_night(const Invocation& invocation);

/// The file of the command's only argument, or the files of benchmark programs; "-" is standard
/// input.
/// @throws Error{not_found} when one cannot be read, Error{invalid_argument} as read_history and
/// read_benchmark_files
HistoryFile read_history_of(const Invocation& invocation, const Surroundings& world);
/// On standard error.
void print_notes(const HistoryFile& file, const Surroundings& world);

/// Standard input is read alone. @throws Error{invalid_argument}
void check_history_files(const Invocation& invocation, const Surroundings& world);

Option direction_option();
Option series_option();
/// --format NAME, of the files of benchmark programs.
Option format_option();
/// --direction lower or higher.
Direction direction_of(const Invocation& invocation);

Option rules_option();

}  // namespace vigil::cli
