#pragma once

#include "service/cli/common/command.hpp"

namespace vigil::cli {

/// The process's own streams, terminal, environment and clock.
Surroundings own_surroundings();

}  // namespace vigil::cli
