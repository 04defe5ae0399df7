#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bisect/search/availability.hpp"
#include "schema/model/text_ids.hpp"

namespace vigil::search {

/// Why the commits from `first` up to, and without, `last` were not measured by themselves, each by
/// its number: "commits 3, 5 to 7 cannot be built or run; commit 4 was not tried".
std::string obstacles_before(const Availability& availability, int first, int last);

/// A reason of the search with the hash for each number of a commit: "commits 3 to 5 cannot be
/// told apart" as "commits 1a2b3c4d5e to 6f7a8b9c0d cannot be told apart".
/// @param line  commits by number; a number beyond it stays
std::string with_names(std::string_view reason, const std::vector<Revision>& line);

}  // namespace vigil::search
