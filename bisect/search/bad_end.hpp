#pragma once

#include "bisect/search/search.hpp"

// Where the bad end of a range can no longer be built or run, a commit before it may stand in.

namespace vigil::search {

/// The newest commit that may be the bad end: the bad end itself, or the newest one before it that
/// is not known to be unusable, at most eight before it. Where there is none, the bad end itself.
int usable_bad_end(const Problem& problem, const Facts& facts);

/// A search of the commits up to one that stands in for the bad end.
struct Shortened {
    Problem problem;
    Facts facts;  ///< without what lies beyond it
};
Shortened shorten(const Problem& problem, const Facts& facts, int bad_end);

/// What the shortened search decided, told of the whole range: where it does not show the change,
/// the commits that it left out may hold it.
Decision of_whole_range(Decision decision, const Problem& whole, const Facts& facts, int bad_end);

}  // namespace vigil::search
