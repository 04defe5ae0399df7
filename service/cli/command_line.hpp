#pragma once

#include "service/cli/common/command.hpp"

namespace vigil::cli {

struct Program;

/// @param args  without the program's name
/// @throws Error{invalid_argument} saying what is wrong, what is nearest, and where help is
Invocation parse_command_line(const Program& program, const std::vector<std::string>& args);

}  // namespace vigil::cli
