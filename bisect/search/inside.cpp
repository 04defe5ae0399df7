#include "bisect/search/inside.hpp"

namespace vigil::search {

Onward onward(const EndedSearch& ended) {
    const bool is_range = ended.ending == Ending::range && ended.verified && ended.parents == 0;
    if (ended.ending == Ending::culprit || is_range) {
        const bool enters = ended.newest_is_merge && ended.depth <= most_depth;
        return enters ? Onward::into_newest : Onward::nowhere;
    }
    const bool nothing_alone = ended.ending == Ending::not_reproduced;
    return nothing_alone && ended.parent < ended.parents ? Onward::next_parent : Onward::nowhere;
}

}  // namespace vigil::search
