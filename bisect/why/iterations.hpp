#pragma once

#include <optional>

#include "schema/profile/profile.hpp"

// Sides of a profile that ran a loop a different number of times. Pure functions.

namespace vigil::why {

/// By how much calls of most of the cost changed, where that is one factor: the median, weighted by
/// cost. @return  nothing: calls changed in several ways, or nothing is called often
std::optional<double> common_factor(const profile::Profile& before, const profile::Profile& after);

/// How many times as many iterations the second side made: as they are known, or, where it explains
/// what was measured or a run was cut, as calls changed. @return  1: as many
double factor_between(
    const profile::Profile& before, const profile::Profile& after, double change_ratio);

/// Costs and calls divided by a factor above 0.
void scale(profile::Profile& profile, double factor);

}  // namespace vigil::why
