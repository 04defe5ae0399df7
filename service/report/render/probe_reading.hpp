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

struct Mark {
    int position = 0;
    double change = 0;  ///< against the good build
    int runs = 0;
};

/// The level of every probed commit of one series against the good end: from probes that hold an
/// end of the range, and from verifications whose parent is known from those. A probe with only the
/// bad end is set on that end's confirmed level.
std::vector<Mark> levels(const RegressionFacts& facts, int series);

}  // namespace vigil::service
