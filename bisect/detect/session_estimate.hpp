#pragma once

#include <span>

#include "bisect/detect/session.hpp"

namespace vigil::detect {

/// B against A from an interleaved session, in logs with up = worse.
struct Estimate {
    double change = 0;      ///< level of B minus level of A
    double variance = 0;    ///< of `change`, from the runs alone
    double freedom = 1;     ///< degrees of freedom of `variance`
    double run_noise = 0;   ///< spread of one run that was assumed before the session
    double seen_noise = 0;  ///< the same as the earlier nights and the session together have it
    double level_a = 0;     ///< A's level, badness
    double before = 0;      ///< A's level, metric's unit
    double after = 0;       ///< B's level, metric's unit
    int blocks = 0;
    int runs_a = 0;
    int runs_b = 0;
    double pairs_worse = 0;   ///< share of all (A, B) pairs with B - A above half the threshold
    double pairs_better = 0;  ///< the same for A - B
    double gap_worse = 0;     ///< lowest B minus highest A
    double gap_better = 0;    ///< lowest A minus highest B
};

/// M-estimate under a two-sided t distribution, with a guard against drift between blocks.
/// @param runs  at least one of each side, each > 0
/// @source  docs/detection.md, "Sessions"; Fernandez and Steel 1998 (two-sided scale)
Estimate estimate_session(std::span<const SessionRun> runs, const SessionRules& rules);

}  // namespace vigil::detect
