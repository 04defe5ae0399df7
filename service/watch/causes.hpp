#pragma once

#include <string>
#include <vector>

#include "bisect/search/search.hpp"
#include "schema/model/ids.hpp"
#include "schema/model/text_ids.hpp"
#include "service/watch/bisection_records.hpp"

// What a search found, by cause: each becomes a regression of its own. Pure.

namespace vigil::service {

/// One cause, and how the search ended there for each series that it moved. Series whose searches
/// ended alike have one cause; a series has several where several commits moved it.
struct Cause {
    std::vector<search::SeriesEnding> endings;  ///< not empty; alike in ending, first and last
    RegressionId regression;                    ///< who takes it; {0}: not decided
};

/// Culprits first, in the order of their commits. A further change of a series is a cause where it
/// stands alone by itself (`stands_alone`).
/// @param inside  of a merge: what its parent does not show alone is one cause, the merge
std::vector<Cause> causes_of(const BisectionConclusion& conclusion, bool inside);

/// Verified changes that are no causes: too small, better, or a stretch inside of a merge.
std::vector<search::SeriesEnding> lesser_changes(
    const BisectionConclusion& conclusion, bool inside);

/// In words, what else changed the series of one cause within the same range: other causes, each
/// with its regression; changes too small for one; what most likely remains. Empty: nothing.
/// @param line  commits by position
std::string others_in_words(
    const Cause& cause,
    const std::vector<Cause>& causes,
    const BisectionConclusion& conclusion,
    bool inside,
    const std::vector<Revision>& line);

}  // namespace vigil::service
