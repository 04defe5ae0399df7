#pragma once

#include <cstdint>
#include <vector>

#include "service/store/database.hpp"
#include "service/store/findings/bisection_records.hpp"

// What is known before the first probe of a search: which nights' commits are likely.

namespace vigil::service {

/// What the history of one series says of when its change began (docs/detection.md).
struct FirstNight {
    std::vector<NightlyId> measured;  ///< ascending; in other nights nothing was seen
    NightlyId since;                  ///< the likeliest first night
    NightlyId earliest, latest;       ///< its plausible range
};

/// How likely the change of one series began with the commits of each night, up to a factor. What
/// came on a night without a value shows on the next one with a value.
/// @param nights  after the good one, the bad one last
std::vector<double> weigh_nights(const std::vector<NightlyId>& nights, const FirstNight& known);

struct WeighedCommit {
    Revision revision;
    int commits = 1;  ///< of the range that came with it: each is as likely as another
};

/// The weights of the commits 1.. of a search (search::Problem::weights); empty: all alike.
/// @param line  by position, the good one first
std::vector<double> weigh_commits(
    const std::vector<WeighedCommit>& line,
    const std::vector<NightPrior>& nights,
    const std::vector<Revision>& named);

/// What the histories of these suspicions say of the nights after `good`; empty: one night only, or
/// nothing is known.
std::vector<NightPrior> load_night_priors(
    Database& db, NightlyId good, NightlyId bad, const std::vector<SuspicionId>& suspicions);

/// Culprits of regressions that are open, of the last two weeks' nights: a step is served in parts
/// where its series have their turn on different nights. Where a culprit came in by a merge, that
/// too.
std::vector<Revision> list_named(Database& db, NightlyId nightly);

}  // namespace vigil::service
