#pragma once

#include "service/cli/common/command.hpp"

namespace vigil::cli {

std::string help_text();
std::string help_text(const CommandSpec& command);
/// Of all commands that begin with this word, like "bisect".
std::string group_help_text(const std::string& group);
std::string exit_codes_text();

}  // namespace vigil::cli
