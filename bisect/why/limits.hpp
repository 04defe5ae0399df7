#pragma once

#include <string>
#include <vector>

#include "schema/profile/profile.hpp"

// What limits what two profiles tell. Pure functions.

namespace vigil::why {

/// One sentence each.
std::vector<std::string> limits_of(const profile::Profile& before, const profile::Profile& after);

/// Why the sides cannot be compared, one sentence; empty: they can.
std::string why_not_comparable(const profile::Profile& before, const profile::Profile& after);

}  // namespace vigil::why
