#pragma once

#include <string>
#include <string_view>

#include "service/cli/commands.hpp"

namespace vigil::cli {

/// The manual page (section 1, roff) of a program with a table of commands.
std::string man_page(const Program& program);

/// A manual page (section 8, roff) of a program whose --help prints `help`: its first line is
/// "<program>: <what it does>", and the rest stands as it is printed.
/// @throws Error{invalid_argument} when it does not begin so
std::string man_page_of_help(std::string_view help);

/// A page (Markdown) with the commands of a program, for the documentation site.
std::string markdown_page(const Program& program);

/// A completion for bash, which zsh takes too: commands, their options, choices and files.
std::string bash_completion(const Program& program);

}  // namespace vigil::cli
