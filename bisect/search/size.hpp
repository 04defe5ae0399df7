#pragma once

#include "bisect/search/levels.hpp"
#include "bisect/search/posterior.hpp"
#include "bisect/search/verify.hpp"

namespace vigil::search {

/// What two builds differ by, log, up is worse.
struct Size {
    double change = 0;
    double error = 0;  ///< standard
};

/// The size of a change by all runs there are: those of the two builds around its gap, and, as far
/// as changes too small to be told let them say it, the levels of the builds further away.
/// @param moments  variance of the size from moment to moment, beyond that of runs (PairTest)
/// @param least    the least change that is told, log
/// @source  docs/search.md, section 10
Size size_of_change(
    const Posterior& posterior, int gap, const FittedLevels& levels, double moments, double least);

/// A verified change of this size, in the metric's unit. @param tau  ln(1 + threshold)
Comparison compare(
    const PairTest& test, const Size& size, Direction direction, double tau, double zero = 0);

}  // namespace vigil::search
