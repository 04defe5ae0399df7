#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace vigil::trend {

/// The levels of a whole series, looked at from its end: where each begins, in increasing order.
/// Exact for short series; a series of a million values takes a few seconds, its long levels being
/// sought among fewer starts.
/// @param values  [n] NaN or infinite: nothing was measured
/// @return  positions in `values`, each > 0; empty when there is one level
/// @source  docs/detection.md (whole series); Killick, Fearnhead and Eckley 2012 (pruning)
std::vector<std::size_t> find_levels(std::span<const double> values);

}  // namespace vigil::trend
