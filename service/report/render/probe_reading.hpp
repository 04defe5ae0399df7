#pragma once

#include <optional>
#include <vector>

#include "service/report/facts/regression_facts.hpp"

// How the runs of probes are read for a report. Pure functions.

namespace vigil::service {

bool has_run(const ProbeFact& probe, int position);

/// The commit that a probe's others are compared with: of a verification the earlier one, whichever
/// ran first; of a search the good end, or else the bad one, or else its first. nullopt: it did not
/// run.
/// @param last  position of the bad end
std::optional<int> control_of(const ProbeFact& probe, int last);

/// How much worse `position` is than `control` in this probe; nullopt without values of both.
std::optional<double> change_in(
    const ProbeFact& probe, int position, int control, int series, Direction direction);

}  // namespace vigil::service
