#pragma once

#include <vector>

#include "service/watch/values.hpp"

namespace vigil::service {

/// Whether the nights of a level alone cannot tell a change of this size: they are too few, or
/// scatter too much.
/// @param earlier  without tonight
bool nights_cannot_tell(const std::vector<NightValues>& earlier, double threshold);

}  // namespace vigil::service
