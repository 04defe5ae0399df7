#pragma once

#include "service/cli/ask/context.hpp"

namespace vigil::cli {

/// What sends the files of other benchmark programs to a daemon.
CommandSpec import_command();

}  // namespace vigil::cli
