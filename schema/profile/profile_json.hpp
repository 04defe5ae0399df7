#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "schema/profile/profile.hpp"
#include "schema/profile/why.hpp"

// How a worker sends a profile, and how what it explains is kept.

namespace vigil::profile {

/// One line of JSON. The smallest functions are left out until it fits.
/// @param max_bytes  at least 1,000
std::string profile_text(const Profile& profile, std::size_t max_bytes);

/// @param text  a worker's: what it is of is a stranger's program
/// @throws Error{invalid_argument} when it is no profile
Profile parse_profile(std::string_view text);

/// What why_json wrote. @throws Error{invalid_argument}
Why parse_why(const nlohmann::json& value, const std::string& path = "why");

}  // namespace vigil::profile
