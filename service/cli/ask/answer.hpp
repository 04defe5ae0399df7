#pragma once

#include "service/cli/ask/context.hpp"

namespace vigil::cli {

/// What sends the runs that a daemon asked for elsewhere.
CommandSpec answer_command();

}  // namespace vigil::cli
