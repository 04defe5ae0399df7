#pragma once

#include "service/cli/common/command.hpp"

namespace vigil::cli {

struct Program;

std::string help_text(const Program& program);
std::string help_text(const Program& program, const CommandSpec& command);
/// Of all commands that begin with this word, like "bisect".
std::string group_help_text(const Program& program, const std::string& group);
std::string exit_codes_text();

}  // namespace vigil::cli
