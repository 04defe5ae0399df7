#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bisect/search/search.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/text_ids.hpp"
#include "service/store/findings/bisection_records.hpp"
#include "service/store/findings/bisections.hpp"

// Bisections inside of merges.

namespace vigil::service {

/// The settings of a bisection inside of what another found: the series of these endings and their
/// machine classes, at the size that was verified, with what is left of the budget.
/// @param endings  not empty; series are indices into `outer`
BisectionSettings settings_inside(
    const BisectionSettings& outer,
    const std::vector<search::SeriesEnding>& endings,
    const search::Budget& left);

/// Whether a regression's search goes on inside of a merge.
struct Going {
    bool on = false;
    std::string why_not;  ///< empty: there is nothing to search
};

/// Begins the bisection that an ended one asks for: inside of the merge it named or of those of the
/// range it could not tell apart, or by the next parent of the merge that it was inside of.
/// @param settings  of the ended bisection
/// @param endings   of the regression's series in it: all culprits alike, or none a culprit
Going go_inside(
    Database& db,
    BisectionId ended,
    RegressionId regression,
    const BisectionSettings& settings,
    const std::vector<search::SeriesEnding>& endings,
    std::int64_t now_s);

}  // namespace vigil::service
