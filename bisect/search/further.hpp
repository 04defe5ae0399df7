#pragma once

#include <vector>

#include "bisect/search/posterior.hpp"
#include "bisect/search/search.hpp"

// Changes of one series beside the largest.

namespace vigil::search {

/// What most likely lies in the range too: the stretch between known changes that holds more of it
/// than any other.
/// @param known  gaps whose changes are verified, ascending
Remaining remaining(const Posterior& posterior, const Line& line, const std::vector<int>& known);

}  // namespace vigil::search
