#pragma once

#include "service/cli/common/command.hpp"

namespace vigil::cli {

/// `vigil init`: writes a config for a repository.
CommandSpec init_command();

}  // namespace vigil::cli
