#pragma once

#include <functional>
#include <string>

#include "service/cli/common/command.hpp"

// What comes in besides the command line.

namespace vigil::cli {

/// All that a file holds, or standard input where it is "-", or a little more than `most_bytes`.
/// @param name  for messages
/// @throws Error{not_found} when it cannot be opened or read
std::string read_input(
    const std::string& file,
    const std::string& name,
    const Surroundings& world,
    std::size_t most_bytes);

/// The text of the file that --rules names.
/// @throws Error{not_found} when it cannot be read; Error{invalid_argument} above 1 MiB
std::string read_rules(const std::string& file, const Surroundings& world);

/// A file's name without its folder.
std::string base_name(const std::string& file);

/// One line in, at most one line out, until the other side closes.
/// @param answer  to a line; "" for none
ExitCode talk_over_stdio(
    const Surroundings& world, const std::function<std::string(const std::string&)>& answer);

}  // namespace vigil::cli
