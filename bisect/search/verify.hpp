#pragma once

#include "bisect/search/evidence.hpp"

namespace vigil::search {

/// A commit against the one measured before it, by verification's own runs alone.
struct PairTest {
    int rounds = 0;      ///< verification sessions that held both
    int runs_after = 0;  ///< of the later commit
    double change = 0;   ///< log, up is worse
    double error = 0;    ///< standard error of `change`
    double freedom = 1;
    Comparison comparison;

    /// One-sided: the change is there, in the direction of `effect` and of a size like it.
    bool convincing(double effect, double least) const;
};

/// @param before, after  places (classes of commits)
/// @param jitter         spread between builds of one source, log
PairTest test_pair(
    const Evidence& evidence, Direction direction, int before, int after, double jitter);

/// Runs a side that a verification of this effect needs.
int runs_to_verify(double effect, double noise, double jitter);

}  // namespace vigil::search
