#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "schema/profile/profile.hpp"
#include "schema/profile/why.hpp"

// Why a build is slower than another, or takes more memory: which functions execute more, or ask
// for more. Pure functions of two profiles.

namespace vigil::why {

inline constexpr std::size_t max_rows = 30;

/// @param change_ratio  what was measured: above 0, it is worse
/// @param touched       paths of files that the commit changes, relative to its root
/// @throws Error{invalid_argument} for profiles in different units
profile::Why explain(
    const profile::Profile& before,
    const profile::Profile& after,
    double change_ratio,
    const std::set<std::string>& touched);

}  // namespace vigil::why
