#pragma once

#include <string>

#include "schema/profile/profile.hpp"

namespace vigil::profile {

/// Both sides as a reader calls them, strangers' texts: "parent 1a2b3c4".
struct FlameSides {
    std::string before;
    std::string after;
};

/// A differential flame graph as SVG, of stacks that are true ones: on top, stacks of after,
/// coloured by how they differ from before; below, on the same scale, those that before alone has.
/// A function that calls itself stands once. At most max_flame_bytes; the narrowest are left out.
/// Nothing in it is a script, a style or a link.
/// @return  empty where a side has no stacks
std::string flame_svg(const Profile& before, const Profile& after, const FlameSides& sides);

inline constexpr std::size_t max_flame_bytes = std::size_t{512} << 10;

}  // namespace vigil::profile
