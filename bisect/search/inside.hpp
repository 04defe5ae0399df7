#pragma once

#include "bisect/search/search.hpp"

// Where a search goes on once it has found a merge: inside of it, one parent after the other. A
// range of the line that cannot be told apart, because commits before a merge do not build, is gone
// into alike: what the merge brought may build.

namespace vigil::search {

constexpr int most_depth = 16;  ///< of merges inside of merges

/// A search that came to its end.
struct EndedSearch {
    Ending ending = Ending::range;
    bool verified = false;         ///< of a range: its ends were measured against each other
    bool newest_is_merge = false;  ///< the culprit, or the newest commit of the range
    int parents = 0;               ///< of the merge it was inside of; 0: inside of none
    int parent = 0;                ///< which of them brought its suspects, from 2
    int depth = 1;                 ///< searches on the way here, this one counted
};

enum class Onward {
    nowhere,      ///< what was found is the answer
    into_newest,  ///< the newest commit is a merge: what its second parent brought
    next_parent   ///< nothing shows alone: what the same merge's next parent brought
};

Onward onward(const EndedSearch& ended);

}  // namespace vigil::search
