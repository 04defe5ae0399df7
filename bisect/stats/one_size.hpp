#pragma once

#include <optional>

#include "schema/model/comparison.hpp"

// One size of a change that was measured more than once. Pure functions.

namespace vigil::stats {

/// Two measurements of one change as one: their mean as logarithms, where each counts as its
/// interval is narrow. An exact measurement counts alone, and so does `b` where `a` has no
/// interval.
Comparison pooled(const Comparison& a, const Comparison& b);

/// The size of a change of a series, as everything that tells of it has it.
/// @param confirmed  the good build against the bad one; runs_after 0: it was not measured again
/// @param verified   the culprit against its parent, by runs of its own
/// @param shared     other commits of the range have a part in what was confirmed
/// @return  both pooled where they measure one change: nothing is shared, and they differ by no
///          more than their errors. Else what was verified; else what was confirmed, which alone
///          tells of nights that come as archives.
Comparison one_size(
    const Comparison& confirmed, const std::optional<Comparison>& verified, bool shared);

/// A change and a further one after it: from the first one's level before to the second one's
/// after. The error is that of both, the runs are those of the second.
Comparison chained(const Comparison& first, const Comparison& then);

}  // namespace vigil::stats
