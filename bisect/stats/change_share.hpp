#pragma once

#include "schema/model/comparison.hpp"

// Which part of a change another measurement sees. Pure functions.

namespace vigil::stats {

/// The same measurement the other way round: how much worse A is than B.
Comparison turned(const Comparison& measured);

/// A part of a change, as logarithms: 1 is all of it, negative goes the other way.
struct ChangeShare {
    double share = 0;
    double low = 0;  ///< 90 % interval, by the errors of both
    double high = 0;
};

/// @param whole  its change_ratio is finite and not 0
/// @param part   which part of it; both ratios are "how much worse"
/// @return  0 [-inf, inf] where `part` has no finite ratio
ChangeShare share_of(const Comparison& whole, const Comparison& part);

enum class SharePart {
    whole,  ///< surely more than half, and maybe all
    some,   ///< surely some, and surely not all
    none,   ///< surely less than half, and maybe nothing
    unclear
};
SharePart part_of(const ChangeShare& share);

}  // namespace vigil::stats
