#pragma once

#include "service/cli/common/command.hpp"

namespace vigil::cli {

/// `vigil detect`: where the level of a series of nights changed.
CommandSpec detect_command();

}  // namespace vigil::cli
