#pragma once

#include <algorithm>

#include "bisect/search/evidence.hpp"

namespace vigil::search {

/// A commit against the one measured before it, by verification's own runs alone.
/// @source  docs/search.md, section 10
struct PairTest {
    int rounds = 0;        ///< verification probes that held both
    int runs_before = 0;   ///< of the earlier commit
    int runs_after = 0;    ///< of the later one
    double before = 0;     ///< level of the earlier commit, log, up is worse
    double change = 0;     ///< log, up is worse
    double own_error = 0;  ///< standard error of `change` between these two builds
    double moments = 0;    ///< of its variance: what moments differ by beyond their runs
    double freedom = 1;
    /// Change and error by the runs as they are: no run counts less for being far from the others.
    double plain_change = 0;
    double plain_error = 0;
    /// Pairs of runs of one session that are in order, beyond half of all; up is worse.
    double order = 0;
    double order_error = 0;  ///< standard, of equal builds

    /// Of the commit that has fewer.
    int runs() const { return std::min(runs_before, runs_after); }

    /// One-sided: the builds differ, in the direction of `effect` and by a size like it. Whether
    /// that is their jitter, no runs of the two can tell: the builds around them do.
    bool convincing(double effect, double least) const;

    /// That equal builds show as much along `effect`, by every run as it is: by the means or by
    /// the order of the runs, whichever says so more clearly. A run that is far from the others
    /// counts like them, above all where it is contrary.
    /// @source  docs/search.md, section 10
    double chance(double effect) const;
};

/// @param before, after  places
PairTest test_pair(const SeriesEvidence& evidence, int before, int after);

/// Runs a side of the first session of the two ends: so many that their difference is known to half
/// of what is expected, as far as a few tell it. Where no noise is known, two show it.
int runs_of_ends(const SeriesSpec& spec, const SeriesEvidence& evidence);

/// Runs a side that a verification of this effect needs, after what `test` holds already: so many
/// that the test is a little more likely to convince than not, for a further round costs no build.
/// @param noise  spread of one run, log
int runs_to_verify(double effect, double noise, const PairTest& test = {});

}  // namespace vigil::search
