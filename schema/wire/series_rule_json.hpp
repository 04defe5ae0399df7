#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/model/series_rule.hpp"

namespace vigil::wire {

/// Reads a list of rules, as `projects.<project>.series_rules` of the config has it; comments are
/// allowed.
/// @param name  of the file, for errors
/// @throws Error{invalid_argument} naming the place
std::vector<SeriesRule> parse_series_rules(std::string_view text, const std::string& name);

}  // namespace vigil::wire
