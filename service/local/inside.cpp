#include "service/local/inside.hpp"

namespace vigil::local {

namespace {

constexpr std::size_t most_depth = 16;  // of merges inside of merges

}  // namespace

Started start_of(Repository& repository, const Order& order, const history::Range& range) {
    Started start;
    start.order = order;
    start.base = range.base;
    start.relation = range.relation;
    start.suspects = range.suspects;
    start.touches = repository.touching(range, order.path);
    return start;
}

std::optional<Inside> next_inside(
    Repository& repository,
    const Story& story,
    const search::SeriesEnding& ending,
    std::size_t depth) {
    if (ending.ending == search::Ending::culprit) {
        const auto& culprit = story.suspect(ending.first);
        if (culprit.merge && depth < most_depth) return Inside{culprit.revision, 2};
    }
    const auto& inside = story.start().inside;
    if (!inside || ending.ending != search::Ending::not_reproduced) return std::nullopt;
    const auto parents = repository.parents(inside->merge);
    if (inside->parent >= static_cast<int>(parents.size())) return std::nullopt;
    return Inside{inside->merge, inside->parent + 1};
}

Started start_inside(Repository& repository, const Order& order, const Inside& inside) {
    const auto parents = repository.parents(inside.merge);
    const Revision& brought = parents.at(static_cast<std::size_t>(inside.parent) - 1);
    Started start = start_of(repository, order, repository.range(parents.front(), brought));
    start.inside = inside;
    return start;
}

std::vector<Entry> moves_of(
    Repository& repository, const Story& story, const search::Decision& decision) {
    std::vector<Entry> entries;
    const auto tell = [&](const search::SeriesEnding& one) {
        if (one.ending != search::Ending::culprit) return;
        auto moves = repository.pins(story.revision(one.first));
        if (!moves.pins.empty()) entries.push_back(Moved{one.first, std::move(moves)});
    };
    for (const auto& ending : decision.endings) tell(ending);
    for (const auto& further : decision.further) tell(further);
    return entries;
}

}  // namespace vigil::local
