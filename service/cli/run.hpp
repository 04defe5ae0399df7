#pragma once

#include <string>
#include <vector>

#include "service/cli/commands.hpp"

namespace vigil::cli {

/// Runs one command line.
/// @param args  without the program's name
/// @return  the exit code (ExitCode)
int run(
    const std::vector<std::string>& args,
    const Surroundings& world,
    const Program& program = vigil_program());

}  // namespace vigil::cli
