#include "bisect/search/inside.hpp"

namespace vigil::search {

Onward onward(const EndedSearch& ended) {
    if (ended.ending == Ending::culprit) {
        const bool enters = ended.culprit_is_merge && ended.depth <= most_depth;
        return enters ? Onward::into_culprit : Onward::nowhere;
    }
    const bool nothing_alone = ended.ending == Ending::not_reproduced;
    return nothing_alone && ended.parent < ended.parents ? Onward::next_parent : Onward::nowhere;
}

}  // namespace vigil::search
