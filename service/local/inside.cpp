#include "service/local/inside.hpp"

#include "bisect/search/inside.hpp"

namespace vigil::local {

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
    const auto& inside = story.start().inside;
    search::EndedSearch ended{
        .ending = ending.ending,
        .verified = ending.verified.runs_after > 0,
        .depth = static_cast<int>(depth) + 1};
    if (ending.ending != search::Ending::not_reproduced) {
        ended.newest_is_merge = story.suspect(ending.last).merge;
    }
    if (inside) {
        ended.parent = inside->parent;
        ended.parents = static_cast<int>(repository.parents(inside->merge).size());
    }
    switch (search::onward(ended)) {
        case search::Onward::into_newest: return Inside{story.suspect(ending.last).revision, 2};
        case search::Onward::next_parent: return Inside{inside->merge, inside->parent + 1};
        case search::Onward::nowhere: break;
    }
    return std::nullopt;
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
