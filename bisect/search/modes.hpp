#pragma once

#include <vector>

namespace vigil::search {

struct Run;

/// Runs of one build that fall around two values, as a process does that is lucky or not with
/// where its memory lies: `share` of them lie `gap` above the others.
struct Modes {
    double gap = 0;    ///< log; 0: one mode
    double share = 0;  ///< of the upper mode, in (0, 1)
    double noise = 0;  ///< spread of one run within its mode, log

    bool two() const { return gap > 0; }
};

/// Two modes where the runs of the same places speak for them far more than for one, and than for
/// one in sessions that differ; else none.
/// Fitted by expectation and maximisation (Dempster, Laird and Rubin 1977): a level for each place,
/// gap and share in common, Student's t within a mode.
/// @param noise  spread of one run if there is one mode, log
Modes find_modes(const std::vector<Run>& runs, double noise);

/// P(a run that lies `away` above its build's level is of the upper mode).
double upper_share(const Modes& modes, double away);

}  // namespace vigil::search
