#pragma once

#include <vector>

#include "service/store/series/suspicions.hpp"

// Which of a night's improvements are searched for their commit. Pure.

namespace vigil::service {

/// Series that moved together.
struct ImprovementGroup {
    ConfirmedChange largest;
    int others = 0;  ///< beside it
    int probes = 0;  ///< that its search may use; 0: the night has none left for it
};

/// What a search usually needs: fewer are of little use.
inline constexpr int probes_of_search = 20;

/// All groups of a night, the largest change first. The first ones share the probes, with
/// `probes_of_search` or more for each of them.
/// @param together  what moved together, see group_by_good; none is empty
/// @param probes    of the night, > 0
std::vector<ImprovementGroup> choose_improvements(
    const std::vector<std::vector<ConfirmedChange>>& together, int probes);

}  // namespace vigil::service
