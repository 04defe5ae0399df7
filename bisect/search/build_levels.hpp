#pragma once

#include "bisect/search/posterior.hpp"

// What further runs of a commit will lie around. A build differs from its level by its layout, and
// all of its runs share that: a build measured twenty times says little new at the next run,
// however little is known of its level.

namespace vigil::search {

/// What the runs of one build lie around by themselves, log.
struct OwnRuns {
    double mean = 0;
    double variance = 0;  ///< of the mean; > 0
};

/// The builds of a commit, by how many changes lie before it, from its levels.
/// @param levels  as `Posterior::levels` has them; with runs these have told of the level already
/// @param own     nullptr: not measured, so any build of that level is possible
/// @return        mean and variance are of the build; p and layout stay
/// @source        docs/search.md, section 9
CommitLevels levels_of_build(CommitLevels levels, const OwnRuns* own);

/// The same of a commit of one series.
CommitLevels levels_of_build(
    const SeriesEvidence& evidence, const Posterior& posterior, int commit);

}  // namespace vigil::search
