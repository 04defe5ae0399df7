#pragma once

#include <string>

#include "bisect/search/availability.hpp"

namespace vigil::search {

/// Why the commits from `first` up to, and without, `last` were not measured by themselves, each by
/// its number: "commits 3, 5 to 7 cannot be built or run; commit 4 was not tried".
std::string obstacles_before(const Availability& availability, int first, int last);

}  // namespace vigil::search
