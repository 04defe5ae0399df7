#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bisect/search/search.hpp"
#include "schema/model/ids.hpp"
#include "service/store/database.hpp"
#include "service/store/findings/bisections.hpp"
#include "service/store/findings/regressions.hpp"

// Bisections inside of merges, and of commits that move a dependency.

namespace vigil::service {

/// A bisection that ended, with what it searched.
struct EndedBisection {
    BisectionRow row;
    RegressionId regression;           ///< which it was begun for; of an asked one: none
    std::vector<SuspectRow> suspects;  ///< by position

    const Revision& revision(int position) const {
        return suspects.at(static_cast<std::size_t>(position)).revision;
    }
};

/// The settings of a bisection inside of what another found.
/// @param inner    what its search inherits
/// @param endings  of the series that it goes on with; series are indices into `outer`
BisectionSettings settings_inside(
    const BisectionSettings& outer,
    const search::Problem& inner,
    const std::vector<search::SeriesEnding>& endings);

/// Whether a regression's search goes on inside of a merge.
struct Going {
    bool on = false;
    std::string why_not;  ///< empty: there is nothing to search
};

/// Begins the bisection that an ended one asks for: inside of the merge it named or of those of the
/// range it could not tell apart, or by the next parent of the merge that it was inside of.
/// @param regression  one of those that the ended bisection has causes for; nullopt: a person asked
/// @param endings  of the regression's series in it: all culprits alike, or none a culprit
Going go_inside(
    Database& db,
    const EndedBisection& ended,
    std::optional<RegressionId> regression,
    const std::vector<search::SeriesEnding>& endings,
    std::int64_t now_s);

/// Begins the bisection of a dependency's commits, where the culprit moves one and does nothing
/// else.
/// @param regression  as of go_inside
/// @param endings  of its series in the bisection that named the culprit
Going go_into_dependency(
    Database& db,
    const EndedBisection& ended,
    std::optional<RegressionId> regression,
    const std::vector<search::SeriesEnding>& endings,
    std::int64_t now_s);

}  // namespace vigil::service
