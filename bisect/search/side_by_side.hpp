#pragma once

#include <vector>

#include "bisect/search/evidence.hpp"

namespace vigil::search {

/// What two places that are neighbours differ by in the sessions that held both.
struct SideBySide {
    double change = 0;    ///< log, up is worse
    double variance = 0;  ///< of it, between these two builds
    double apart = 0;     ///< what their other runs differ by,
    double unsure = 0;    ///< and its variance
    /// Of `change`, what their levels do not hold yet, in [0, 1]. Nothing tells the offset of a
    /// session without an end, so its runs say little of levels where sessions differ. 0: there is
    /// no such session.
    double share = 0;

    /// A Gaussian of the change of level between the two: what is seen here and not there.
    struct Seen {
        double change = 0;
        double variance = 0;
        double scale = 1;  ///< its weight beside that of other layouts
    };
    /// Both builds have a layout of their own, which all of their runs share: what the other runs
    /// show of it is no news.
    /// @param layout  variance of a build around its level
    Seen seen(double layout) const;
};

/// @param places  that have runs, ascending; two at least
/// @return        [places - 1]
/// @source        docs/search.md, section 6
std::vector<SideBySide> side_by_side(
    const SeriesEvidence& evidence, const std::vector<int>& places);

}  // namespace vigil::search
