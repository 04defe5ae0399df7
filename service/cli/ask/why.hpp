#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "service/cli/common/command.hpp"

namespace vigil::cli {

/// Which functions of a regression's culprit execute more, or where that stands; several lines.
/// @param why  the field of the regression; null: it was not asked
std::string why_words(const nlohmann::json& why, std::size_t width);

/// The same below what is told of a regression, and whether a revert of its culprit would help;
/// nothing where it was not asked.
void print_why(const CommandContext& context, const nlohmann::json& regression);

/// Prints them; asks for the profiles where there are none, or with --again.
ExitCode explain_regression(const CommandContext& context);

std::vector<CommandSpec> explaining();

}  // namespace vigil::cli
