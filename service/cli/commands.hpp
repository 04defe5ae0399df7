#pragma once

#include <string>
#include <vector>

#include "service/cli/common/command.hpp"

// Programs and their tables of commands: reading the command line, help and running it all go by
// them.

namespace vigil::cli {

struct Program {
    std::string name;                   ///< "vigil"
    std::string summary;                ///< what it does, in one line
    std::vector<std::string> examples;  ///< for its help
    std::vector<CommandSpec> commands;
    bool asks_daemon = true;  ///< some of its commands do
};

/// The program for people.
const Program& vigil_program();
/// Options that every command of a program takes.
/// @param asks_daemon  false: those alone that mean something without one
const std::vector<Option>& common_options(bool asks_daemon);

}  // namespace vigil::cli
