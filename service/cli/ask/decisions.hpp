#pragma once

#include <vector>

#include "service/cli/common/command.hpp"

namespace vigil::cli {

/// What people decide about regressions.
std::vector<CommandSpec> deciding();
/// What is not spoken of for a while.
std::vector<CommandSpec> muting();
/// Who may do what, and who did.
std::vector<CommandSpec> granting();

}  // namespace vigil::cli
