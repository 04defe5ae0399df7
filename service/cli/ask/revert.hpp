#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "service/cli/common/command.hpp"

namespace vigil::cli {

/// Below what is told of a regression: whether a revert of its culprit would help; nothing where
/// it was not asked.
void print_revert(const CommandContext& context, const nlohmann::json& regression);

std::vector<CommandSpec> reverting();

}  // namespace vigil::cli
