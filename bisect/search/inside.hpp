#pragma once

#include "bisect/search/search.hpp"

// Where a search goes on once it has found a merge: inside of it, one parent after the other.

namespace vigil::search {

constexpr int most_depth = 16;  ///< of merges inside of merges

/// A search that came to its end.
struct EndedSearch {
    Ending ending = Ending::range;
    bool culprit_is_merge = false;
    int parents = 0;  ///< of the merge it was inside of; 0: inside of none
    int parent = 0;   ///< which of them brought its suspects, from 2
    int depth = 1;    ///< searches on the way here, this one counted
};

enum class Onward {
    nowhere,       ///< what was found is the answer
    into_culprit,  ///< the culprit is a merge: what its second parent brought
    next_parent    ///< nothing shows alone: what the same merge's next parent brought
};

Onward onward(const EndedSearch& ended);

}  // namespace vigil::search
