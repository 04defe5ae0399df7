#pragma once

#include "service/cli/ask/context.hpp"

namespace vigil::cli {

/// What is wrong at a daemon or about to be, and what to do.
CommandSpec doctor_command();

}  // namespace vigil::cli
