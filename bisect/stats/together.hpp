#pragma once

#include <span>
#include <vector>

// Runs that are alive at once, so that they meet the same moments of the machine. Pure functions.

namespace vigil::stats {

/// The positions of a session in groups that run at once, in order: as few groups as `at_once`
/// allows, of about equal size and an even one, so that pairs stay together. Positions of one
/// commit alone gain nothing from it: each is a group by itself.
/// @param commits  of the session, in the order in which they would run one after the other
std::vector<std::vector<int>> run_groups(std::span<const int> commits, int at_once);

/// One value of a session that was measured in groups.
struct GroupedValue {
    int group = -1;    ///< -1: it ran alone
    int kind = 0;      ///< which commit, or which side
    double value = 0;  ///< >= 0
};

/// The values with what their groups met in common taken off: the geometric mean of each group
/// becomes that of all. As they are where that would not be fair or leave too little to estimate
/// the noise from: a value is 0 or ran alone, a group has less than four, or the groups mix the
/// kinds unequally.
std::vector<double> level_groups(std::span<const GroupedValue> values);

}  // namespace vigil::stats
