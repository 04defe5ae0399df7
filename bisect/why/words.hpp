#pragma once

#include <string>
#include <vector>

#include "schema/profile/profile.hpp"
#include "schema/profile/why.hpp"

// Sentences about two profiles. Pure functions.

namespace vigil::why {

/// What is left to have changed, where both sides cost as much.
/// @param ratio  by which the total changed all the same
std::string same_words(const profile::Profile& before, const profile::Profile& after, double ratio);

/// That the profile went the other way than what was measured.
/// @param why           with its totals
/// @param change_ratio  that was measured
std::string disagreement(
    const profile::Why& why, const profile::Profile& after, double change_ratio);

/// Of memory by operators: who keeps more after each iteration than before; one sentence each, for
/// the largest three.
std::vector<std::string> growth_words(
    const profile::Profile& before, const profile::Profile& after);

}  // namespace vigil::why
