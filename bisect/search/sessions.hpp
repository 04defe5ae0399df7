#pragma once

#include <vector>

// In which order the runs of a probe are made. Pure functions.

namespace vigil::search {

/// A, B, B, A, B, A, A, B ...: `runs` of each side, so that a drift cancels.
std::vector<int> interleave(int a, int b, int runs);

/// The runs of a suspect where runs are at once (stats::run_groups): each group has a control, of
/// one end and the other in turn, for each has its own moment.
/// @param control, other  the ends; the first is the one that is needed more
std::vector<int> groups_of(int commit, int runs, int control, int other, int at_once);

}  // namespace vigil::search
