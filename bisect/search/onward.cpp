#include "bisect/search/onward.hpp"

namespace vigil::search {

namespace {

std::optional<Door> next_door(const std::vector<int>& parents, Door door) {
    for (; door.merge < static_cast<int>(parents.size()); door = {door.merge + 1, 2}) {
        if (door.parent <= parents[static_cast<std::size_t>(door.merge)]) return door;
    }
    return std::nullopt;
}

}  // namespace

std::optional<Onward> onward(const FinishedSearch& ended) {
    const bool is_range = ended.ending == Ending::range && ended.verified && !ended.door;
    std::optional<Door> next;
    bool deeper = true;
    if (ended.ending == Ending::culprit || is_range) {
        if (ended.depth <= most_depth) next = next_door(ended.answer, {});
    } else if (ended.ending == Ending::not_reproduced && ended.door) {
        deeper = false;
        next = next_door(ended.outer, {ended.door->merge, ended.door->parent + 1});
    }
    return next ? std::optional(Onward{deeper, *next}) : std::nullopt;
}

}  // namespace vigil::search
