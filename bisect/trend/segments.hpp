#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace vigil::trend {

/// Two flat levels are surely apart at so many standard errors.
inline constexpr double surely_apart = 5;

/// Where the levels of a whole series begin, and what its noise is like.
struct Levels {
    std::vector<std::size_t> starts;  ///< without the first, in increasing order
    bool wandering = false;           ///< no flat levels: they are straight lines
    double stretch = 1;  ///< standard errors of a level are so much larger: noise is correlated
};

/// The levels of a whole series, looked at from its end. Exact for short series; a series of a
/// million values takes a few seconds, its long levels being sought among fewer starts.
/// @param values  [n] NaN or infinite: nothing was measured
/// @return  starts are positions in `values`, each > 0; none when there is one level
/// @source  docs/detection.md, "Whole series"; Killick, Fearnhead and Eckley 2012 (pruning)
Levels cut_into_levels(std::span<const double> values);

/// Whether a change that is certain (find_past_changes) could be among the values at all: a look
/// that costs a tenth of the search, and is wrong only in saying yes.
/// @param values  [n] as cut_into_levels
bool may_have_levels(std::span<const double> values);

/// The starts of cut_into_levels.
std::vector<std::size_t> find_levels(std::span<const double> values);

}  // namespace vigil::trend
