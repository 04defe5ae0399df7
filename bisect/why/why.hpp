#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

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

/// What several profilers say as one answer: the first, with the others beside it.
/// @param why_none  why other profilers say nothing; may be empty
/// @return  nothing where none says anything
std::optional<profile::Why> one_of(std::vector<profile::Why> found, const std::string& why_none);

}  // namespace vigil::why
