#pragma once

#include "service/cli/commands.hpp"

namespace vigil::cli {

/// The program for whoever changes the rules of detection: replays of histories, other rules. Not
/// installed.
const Program& lab_program();

}  // namespace vigil::cli
