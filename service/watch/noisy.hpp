#pragma once

#include <span>

namespace vigil::service {

/// Whether the nights of a level alone cannot tell a change of this size: they are too few, or
/// scatter too much.
/// @param earlier  [n] values, > 0, without tonight's
bool nights_cannot_tell(std::span<const double> earlier, double threshold);

}  // namespace vigil::service
