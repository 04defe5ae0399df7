#pragma once

#include <vector>

#include "bisect/search/evidence.hpp"

namespace vigil::search {

/// A machine that others use, as the shares of processor show it that runs of wall time had. Where
/// runs of one build had different shares, a run counts by its own: what it waited for a processor
/// is in its time. Shares that differ between builds alone are the builds' own.
/// Writes Run::spread; all are 1 where the shares are not known, or the machine is quiet.
/// @return whether the machine is not quiet
/// @source  docs/search.md, section 3, "A run's share of processor"
bool weigh_by_share(std::vector<Run>& runs);

}  // namespace vigil::search
