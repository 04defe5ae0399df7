#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schema/model/text_ids.hpp"

// What the JSON columns `suspect.brought` and `regression.suspects` hold: revisions in order.

namespace vigil::service {

std::string to_text(const std::vector<Revision>& revisions);

/// @param column  in words for an error
/// @throws Error{invalid_argument} when it does not hold what we wrote
std::vector<Revision> parse_revisions(std::string_view text, const char* column);

}  // namespace vigil::service
