#pragma once

#include <optional>
#include <set>
#include <vector>

#include "bisect/search/evidence.hpp"
#include "bisect/search/line.hpp"

// The levels along the commits, as a person looks at them: no change is assumed anywhere.

namespace vigil::search {

/// Of one place: commits of equal product have one level, by the runs of all of them.
struct PlaceLevel {
    int place = 0;     ///< its first commit
    double above = 0;  ///< the good end, log, up is worse
    double error = 0;  ///< standard error of `above`
    int runs = 0;
};

/// A run without what its session met.
struct LevelledRun {
    int commit = 0;
    double above = 0;  ///< the good end, log, up is worse
};

struct FittedLevels {
    double good = 0;                 ///< of the good end, log of the value, up is worse
    double zero = 0;                 ///< what stands for 0, metric's unit; 0: there is none
    std::vector<PlaceLevel> places;  ///< those with runs, ascending
    std::vector<LevelledRun> runs;   ///< in the order of the observations
    /// [places][places] standard errors of what two differ by
    std::vector<std::vector<double>> errors;

    /// nullptr: its place has no run.
    const PlaceLevel* of(int place) const;
    /// Of what two places with runs differ by.
    double error(int before, int after) const;
    /// The value of a level, metric's unit. @param above  the good end, log, up is worse
    double value_at(double above, Direction sought) const;
};

/// Levels and the offsets of the sessions, fitted together to all runs of one series, those
/// of verification among them: a session tells what its commits differ by, and what it met is taken
/// off. Without runs of the good end the first place stands for it.
/// @source  docs/search.md, section 16
FittedLevels fit_levels(const Problem& problem, const Facts& facts, int series);

/// The same of runs that are gathered already; each run is told of its place's first commit.
FittedLevels fit_levels(const SeriesEvidence& evidence);

/// A measured commit, by all runs of its product.
struct CommitLevel {
    int commit = 0;
    double change = 0;  ///< against the good end: exp(above) - 1
    int runs = 0;
    std::optional<int> same_as = {};  ///< an earlier one of the list, with the same product
    double above = 0;                 ///< the good end, log, up is worse
};

/// Both ends, the commits that have a run, and those of `always`, oldest first; none whose product
/// has no run.
std::vector<CommitLevel> commit_levels(
    const FittedLevels& levels, const Line& line, std::set<int> always);

/// How well levels and sessions explain the runs: ln of their likelihood up to the constant of each
/// run, at the best levels, with the offsets integrated out around theirs. Student's t with 4
/// degrees of freedom, of the evidence's noise.
/// @source  docs/search.md, section 2, "Two modes"
double log_evidence_of_sessions(const SeriesEvidence& evidence);

}  // namespace vigil::search
